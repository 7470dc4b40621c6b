"""Whether an element's declarations keep its text from a reader. The values are lower-case, their escapes undone."""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from agent.untrusted.boxes import is_gone
from agent.untrusted.colours import (
    BLACK,
    CLEAR,
    WHITE,
    Colour,
    blended,
    colour_in,
    colour_of_gradient,
    filtered,
    inverted,
    is_same,
)
from agent.untrusted.values import LENGTH, PER_UNIT, first, lengths, numbers

# Only these are kept from a style sheet; everything else has no say in what can be read.
PROPERTIES = frozenset({
    "display", "visibility", "opacity", "content-visibility", "filter", "-webkit-filter", "color", "background",
    "background-color", "-webkit-text-fill-color", "font", "font-size", "position", "left", "right", "top", "bottom",
    "inset", "inset-inline-start", "inset-block-start", "margin", "margin-left", "margin-top", "margin-right",
    "margin-inline-start", "margin-block-start", "text-indent", "letter-spacing", "clip", "clip-path",
    "-webkit-clip-path", "transform", "-webkit-transform", "scale", "translate", "zoom", "width", "height",
    "max-width", "max-height", "inline-size", "block-size", "max-inline-size", "max-block-size", "overflow",
    "overflow-x", "overflow-y", "line-height", "padding", "padding-left", "padding-top", "padding-inline-start",
    "padding-block-start", "content", "contain", "min-height", "min-block-size", "mask", "mask-image", "-webkit-mask",
    "-webkit-mask-image", "rotate", "backface-visibility", "mix-blend-mode", "-webkit-text-security", "background-clip",
    "-webkit-background-clip", "text-shadow", "animation", "animation-name", "animation-fill-mode",
    "animation-play-state", "animation-delay", "inset-inline", "inset-block", "margin-inline", "margin-block",
    "padding-inline", "mask-size", "-webkit-mask-size",
})  # fmt: skip

_VAR = re.compile(r"var\(\s*(--[^\s,()]+)\s*(?:,([^()]*))?\)")
_ENV = re.compile(
    r"\benv\([^(),]*,([^()]*)\)|\bif\([^()]*?\belse\s*:([^();]*)\)"
)  # nothing is known here: what stands last
_SIZES = {
    "xx-small": 9.0, "x-small": 10.0, "small": 13.0, "medium": 16.0, "large": 18.0, "x-large": 24.0, "xx-large": 32.0,
    "xxx-large": 48.0, "initial": 16.0,
}  # fmt: skip
# What a browser takes as a value. Anything else it ignores, so that an earlier declaration stays in force.
_EVERYWHERE = {"inherit", "initial", "unset", "revert", "revert-layer"}
_WORDS = {
    "display": {
        "none", "block", "inline", "inline-block", "flex", "inline-flex", "grid", "inline-grid", "table", "contents",
        "inline-table", "table-row", "table-cell", "table-row-group", "table-header-group", "table-footer-group",
        "table-column", "table-column-group", "table-caption", "list-item", "flow-root", "flow", "ruby", "math",
        "-webkit-box", "-webkit-inline-box", "-webkit-flex", "-webkit-inline-flex",
    },
    "visibility": {"visible", "hidden", "collapse"},
    "content-visibility": {"visible", "hidden", "auto"},
    "position": {"static", "relative", "absolute", "fixed", "sticky", "-webkit-sticky"},
    "overflow": {"visible", "hidden", "clip", "scroll", "auto", "overlay"},
    "overflow-x": {"visible", "hidden", "clip", "scroll", "auto", "overlay"},
    "overflow-y": {"visible", "hidden", "clip", "scroll", "auto", "overlay"},
    "contain": {"none", "strict", "content", "size", "inline-size", "layout", "style", "paint"},
    "backface-visibility": {"visible", "hidden"},
    "-webkit-text-security": {"none", "disc", "circle", "square"},
    "background-clip": {"border-box", "padding-box", "content-box", "text", "border-area"},
    "-webkit-background-clip": {"border-box", "padding-box", "content-box", "text"},
    "mix-blend-mode": {
        "normal", "multiply", "screen", "overlay", "darken", "lighten", "color-dodge", "color-burn", "hard-light",
        "soft-light", "difference", "exclusion", "hue", "saturation", "color", "luminosity", "plus-lighter",
        "plus-darker",
    },
    "font-size": {*_SIZES, "larger", "smaller", "math"},
}  # fmt: skip
_LENGTH_WORDS = {"auto", "none", "normal", "min-content", "max-content", "fit-content", "stretch"}
_COLOURS = {"color", "background-color", "-webkit-text-fill-color"}
_NUMBERS = {"opacity", "scale", "zoom", "line-height"}
# Of these a value is told by its form: names of animations, an angle, a length, something between quotes or brackets.
_FORMS = {
    "animation": re.compile(r"[^;{}]+"),
    "animation-name": re.compile(r"[^;{}]+"),
    "animation-play-state": re.compile(r"(?:running|paused|[\s,])+"),
    "animation-delay": re.compile(r"[-+\d.,ms\s]+"),
    "animation-fill-mode": re.compile(r"(?:none|forwards|backwards|both|[\s,])+"),
    "rotate": re.compile(r"none|[-+xyz\d.\s]*\d(?:deg|rad|grad|turn)(?:\s+[xyz])?"),
    "text-shadow": re.compile(r"none|.*\d.*"),
    "content": re.compile(r"normal|none|.*[\"'(].*"),
}
_ONE_LENGTH = re.compile(
    rf"[-+]?(?:0++\.?0*+|(?:\d++\.?\d*+|\.\d++)(?:e[-+]?\d++)?(?:{'|'.join(filter(None, PER_UNIT))}|%))"
)
_ONE_NUMBER = re.compile(r"[-+]?(?:\d++\.?\d*+|\.\d++)(?:e[-+]?\d++)?%?")
_FUNCTIONS = re.compile(r"none|(?:[a-z0-9-]+\((?:[^()]|\([^()]*\))*\)\s*)+")


@dataclass(frozen=True, slots=True)
class Look:
    """What an element hands down to what is inside it."""

    shown: bool = True  # visibility
    opacity: float = 1.0
    size: float = 16.0
    ink: Colour | None = BLACK  # None: not known
    ground: Colour | None = WHITE
    variables: dict[str, str] = field(default_factory=dict)

    def is_readable(self) -> bool:
        return self.shown and self.size >= 4.0 and not is_same(self.ink, self.ground)


def _resolved(value: str, variables: dict[str, str]) -> str:
    for _ in range(6):
        value = _ENV.sub(lambda match: match.group(1) or match.group(2) or "", value)
        if "var(" not in value:
            break
        value = _VAR.sub(lambda match: variables.get(match.group(1), match.group(2) or ""), value)[:500]
    return value.strip()


def _opacity(style: dict[str, str]) -> float:
    values = [style.get("opacity", "")]
    values += re.findall(r"opacity\(([^()]*)\)", _filter(style))
    result = 1.0
    for value in values:
        part = first(value, percent=0.01)
        result *= 1.0 if part is None else max(0.0, min(1.0, part))
    return result


def _filter(style: dict[str, str]) -> str:
    return style.get("filter", style.get("-webkit-filter", ""))


def _is_blurred(style: dict[str, str]) -> bool:
    return any(length >= 6 for blur in re.findall(r"blur\(([^()]*)\)", _filter(style)) for length in lengths(blur))


def _is_inverted(style: dict[str, str]) -> bool:
    found = [numbers(value) for value in re.findall(r"invert\(([^()]*)\)", _filter(style))]
    return sum(1 for shares in found if not shares or shares[0] > 0.5) % 2 == 1


def _size(style: dict[str, str], inherited: float) -> float:
    value = style.get("font-size", "")
    if not value and "font" in style:
        match = LENGTH.search(re.sub(r"\b\d+\b(?=\s)", "", style["font"]))  # a bare number is a weight
        value = match.group(0) if match else ""
    if value in _SIZES:
        return _SIZES[value]
    if "(" in value:
        found = first(value, percent=inherited / 100)
        return inherited if found is None else found
    match = LENGTH.match(value)
    if not match:
        return inherited
    number, unit = float(match.group(1)), match.group(2)
    if unit in ("em", "%"):
        return inherited * (number if unit == "em" else number / 100)
    return number * PER_UNIT.get(unit, 1.0)


def _grounds(style: dict[str, str], below: Colour | None, ink: Colour | None) -> Colour | None:
    """The colour behind the text; None where a picture or a gradient lies there."""
    ground = below
    for name in ("background", "background-color"):
        value = style.get(name)
        if not value:
            continue
        plain = re.sub(r"url\([^()]*\)", " ", value)
        named = ink if "currentcolor" in value else colour_in(plain)
        if "gradient" in value:
            ground = colour_of_gradient(plain)
        elif "url(" in value:
            ground = named  # behind the picture, and all there is where none comes
        elif named is None:
            ground = below if value in ("none", "inherit", "initial", "unset") else None
        elif named[3] > 0.5:
            ground = named
    return ground


def _inks(style: dict[str, str], above: Colour | None) -> Colour | None:
    value = style.get("-webkit-text-fill-color") or style.get("color")
    if not value or value in ("inherit", "currentcolor", "unset"):
        return above
    return BLACK if value == "initial" else colour_in(value)


def _colours(style: dict[str, str], above: "Look") -> tuple[Colour | None, Colour | None]:
    """Ink and ground of the text in an element, as they are seen."""
    below = inverted(above.ground) if _is_inverted(style) else above.ground
    ink = _inks(style, above.ink)
    ground = _grounds(style, below, ink)
    if ink is not None and ink[3] < 0.1:
        # Letters that are cut out of their ground, or a shadow without what throws it.
        clip = " ".join(style.get(name, "") for name in ("background-clip", "-webkit-background-clip", "background"))
        if "text" in clip.split():
            ink, ground = (CLEAR if ground == below else ground), below
        elif style.get("text-shadow", "none") != "none":
            ink = colour_in(style["text-shadow"]) or ink
    found = _filter(style)
    if "brightness(" in found or "contrast(" in found:
        ink, ground = filtered(found, ink), ground if ground == below else filtered(found, ground)
    return blended(style.get("mix-blend-mode", ""), ink, below), ground


def is_value(name: str, value: str, *, known_only: bool = False) -> bool:
    """Whether a browser would take this as a value of the property, as far as is known here.

    With `known_only` of a property that is not known here it is False.
    """
    if known_only and name not in PROPERTIES:
        return False
    if value in _EVERYWHERE or re.search(r"\b(?:var|env|if)\(", value) or name.startswith("--"):
        return True
    if name in _FORMS:
        return _FORMS[name].fullmatch(value) is not None
    words = value.split()
    if name in _COLOURS:
        return value == "currentcolor" or "(" in value or colour_in(value) is not None
    if name in ("background", "font"):
        return bool(words) and (name == "font" or value == "none" or "(" in value or colour_in(value) is not None)
    if name in _NUMBERS and all(_ONE_NUMBER.fullmatch(word) for word in words):
        return bool(words)
    if name in _WORDS and words and all(word in _WORDS[name] for word in words):
        return True
    if name in _WORDS and name != "font-size":
        return False
    if "(" in value or value == "none":
        return bool(_FUNCTIONS.fullmatch(value)) or name in ("margin", "inset")
    return bool(words) and all(word in _LENGTH_WORDS or _ONE_LENGTH.fullmatch(word) for word in words)


@lru_cache(maxsize=4096)
def hides(name: str, value: str) -> bool:
    """Whether this declaration alone can keep text from a reader."""
    look = look_of({"position": "absolute", "overflow": "hidden", name: value}, Look())
    return look is None or not look.is_readable()


def look_of(style: dict[str, str], above: Look) -> Look | None:
    """How text inside an element with these declarations looks; None where the element and all in it are hidden."""
    own = {name: value for name, value in style.items() if name.startswith("--")}
    variables = {**above.variables, **own} if own else above.variables
    style = {name: _resolved(value, variables) for name, value in style.items() if not name.startswith("--")}
    opacity = above.opacity * _opacity(style)
    if opacity <= 0.1 or is_gone(style) or _is_blurred(style):
        return None
    ink, ground = _colours(style, above)
    visibility = style.get("visibility", "")
    return replace(
        above,
        shown={"hidden": False, "collapse": False, "visible": True, "initial": True}.get(visibility, above.shown),
        opacity=opacity,
        size=_size(style, above.size),
        ink=ink,
        ground=ground,
        variables=variables,
    )
