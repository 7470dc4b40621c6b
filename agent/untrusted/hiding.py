"""Whether an element's declarations keep its text from a reader. The values are lower-case, their escapes undone."""

import math
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from agent.untrusted.colours import NAMED

# Only these are kept from a style sheet; everything else has no say in what can be read.
PROPERTIES = frozenset({
    "display", "visibility", "opacity", "content-visibility", "filter", "-webkit-filter", "color", "background",
    "background-color", "-webkit-text-fill-color", "font", "font-size", "position", "left", "right", "top", "bottom",
    "inset", "inset-inline-start", "inset-block-start", "margin", "margin-left", "margin-top", "margin-right",
    "margin-inline-start", "margin-block-start", "text-indent", "letter-spacing", "clip", "clip-path",
    "-webkit-clip-path", "transform", "-webkit-transform", "scale", "translate", "zoom", "width", "height",
    "max-width", "max-height", "inline-size", "block-size", "max-inline-size", "max-block-size", "overflow",
    "overflow-x", "overflow-y",
})  # fmt: skip

_FAR = 500.0  # pixels: further out than any layout puts what is to be seen
_FAR_RIGHT = 4000.0
_PER_UNIT = {
    "px": 1.0, "": 1.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "lh": 24.0, "pt": 1.333, "pc": 16.0, "in": 96.0,
    "cm": 37.8, "mm": 3.78, "q": 0.945, "vw": 12.8, "vh": 8.0, "vmin": 8.0, "vmax": 12.8,
}  # fmt: skip
_LENGTH = re.compile(r"(?<![\w.#-])([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)([a-z%]*)")
_VAR = re.compile(r"var\(\s*(--[^\s,()]+)\s*(?:,([^()]*))?\)")
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
    "font-size": {*_SIZES, "larger", "smaller", "math"},
}  # fmt: skip
_LENGTH_WORDS = {"auto", "none", "normal", "min-content", "max-content", "fit-content", "stretch"}
_COLOURS = {"color", "background-color", "-webkit-text-fill-color"}
_NUMBERS = {"opacity", "scale", "zoom"}
_ONE_LENGTH = re.compile(
    rf"[-+]?(?:0+\.?0*|(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?(?:{'|'.join(filter(None, _PER_UNIT))}|%))"
)
_ONE_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?%?")
_FUNCTIONS = re.compile(r"none|(?:[a-z0-9-]+\((?:[^()]|\([^()]*\))*\)\s*)+")
Colour = tuple[float, float, float, float]
_WHITE: Colour = (255.0, 255.0, 255.0, 1.0)
_BLACK: Colour = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Look:
    """What an element hands down to what is inside it."""

    shown: bool = True  # visibility
    opacity: float = 1.0
    size: float = 16.0
    ink: Colour | None = _BLACK  # None: not known
    ground: Colour | None = _WHITE
    variables: dict[str, str] = field(default_factory=dict)

    def is_readable(self) -> bool:
        return self.shown and self.size >= 4.0 and not _same(self.ink, self.ground)


def _same(ink: Colour | None, ground: Colour | None) -> bool:
    if ink is None:
        return False
    if ink[3] < 0.1:
        return True
    return ground is not None and sum((a - b) ** 2 for a, b in zip(ink[:3], ground[:3], strict=True)) < 24.0**2


def _numbers(value: str) -> list[float]:
    return [float(number) for number, _ in _LENGTH.findall(value)]


def _lengths(value: str, *, percent: float = 6.0) -> list[float]:
    """Every length in pixels; a calc() is worked out as far as a product or a sum goes.

    `percent` is what one per cent is taken for: of what, only a layout would know.
    """
    if "calc(" in value:
        value = re.sub(r"\s-\s+(?=[\d.])", " -", value)
    units = {**_PER_UNIT, "%": percent}
    lengths = [float(number) * units.get(unit, 1.0) for number, unit in _LENGTH.findall(value)]
    if "calc(" in value and lengths:
        return [math.prod(lengths) if "*" in value else sum(lengths)]
    return lengths


def _first(value: str | None) -> float | None:
    lengths = _lengths(value or "")
    return lengths[0] if lengths else None


def _channel(text: str, whole: float) -> float:
    number = float(re.sub(r"[^\d.e+-]", "", text) or 0)
    return number / 100 * whole if text.endswith("%") else number


def _from_hsl(hue: float, saturation: float, lightness: float, alpha: float) -> Colour:
    reach = saturation * min(lightness, 1 - lightness)

    def channel(offset: float) -> float:
        place = (offset + hue / 30) % 12
        return 255 * (lightness - reach * max(-1.0, min(place - 3, 9 - place, 1.0)))

    return channel(0), channel(8), channel(4), alpha


def _colour(value: str) -> Colour | None:
    """The colour that a value names, or None where it cannot be told."""
    if "transparent" in value.split():
        return (0.0, 0.0, 0.0, 0.0)
    function = re.search(r"(rgb|hsl)a?\(([^()]*)\)", value)
    if function:
        parts = [part for part in re.split(r"[\s,/]+", function.group(2).strip()) if part]
        if len(parts) < 3:
            return None
        try:
            alpha = _channel(parts[3], 1.0) if len(parts) > 3 else 1.0
            if function.group(1) == "hsl":
                return _from_hsl(_channel(parts[0], 360), _channel(parts[1], 1), _channel(parts[2], 1), alpha)
            red, green, blue = (_channel(part, 255) for part in parts[:3])
            return red, green, blue, alpha
        except ValueError:
            return None
    hexadecimal = re.search(r"#([0-9a-f]{3,8})\b", value)
    name = next((NAMED[word] for word in value.split() if word in NAMED), None)
    digits = hexadecimal.group(1) if hexadecimal else name
    return _from_hex(digits) if digits else None


def _from_hex(digits: str) -> Colour | None:
    if len(digits) in (3, 4):
        digits = "".join(digit * 2 for digit in digits)
    if len(digits) not in (6, 8):
        return None
    red, green, blue = (int(digits[start : start + 2], 16) for start in (0, 2, 4))
    return float(red), float(green), float(blue), int(digits[6:8], 16) / 255 if len(digits) == 8 else 1.0


def _resolved(value: str, variables: dict[str, str]) -> str:
    for _ in range(6):
        if "var(" not in value:
            break
        value = _VAR.sub(lambda match: variables.get(match.group(1), match.group(2) or ""), value)[:500]
    return value.strip()


def _is_away(style: dict[str, str]) -> bool:
    """Moved off the screen."""
    if style.get("position", "static") != "static":
        for side in ("left", "right", "top", "bottom", "inset", "inset-inline-start", "inset-block-start"):
            if any(length <= -_FAR or length >= _FAR_RIGHT for length in _lengths(style.get(side, ""))):
                return True
    shifts = [style.get(name, "") for name in style if name.startswith("margin")]
    shifts.append(style.get("text-indent", ""))
    transform = style.get("transform", style.get("-webkit-transform", ""))
    # A menu is moved by its own height to stand above its button: -100% of itself is not away.
    moves = [style.get("translate", ""), *re.findall(r"translate\w*\(([^()]*)\)", transform)]
    lengths = [length for shift in shifts for length in _lengths(shift)]
    lengths += [length for move in moves for length in _lengths(move, percent=4.0)]
    return any(length <= -_FAR or length >= _FAR_RIGHT for length in lengths)


def _is_shrunk(style: dict[str, str]) -> bool:
    """Scaled, clipped or masked to nothing."""
    transform = style.get("transform", style.get("-webkit-transform", ""))
    scales = [*re.findall(r"scale\w*\(([^()]*)\)", transform), style.get("scale", ""), style.get("zoom", "")]
    if any(abs(number) < 0.05 for scale in scales for number in _numbers(scale)):
        return True
    if re.search(r"rotate[xy]\(\s*-?(?:90|270)deg", transform):
        return True
    clip = style.get("clip-path", style.get("-webkit-clip-path", ""))
    if "inset(" in clip and any(n >= 50 and "%" in clip for n in _numbers(clip)):
        return True
    if re.search(r"(?:circle|ellipse)\(\s*0(?![.\d]*[1-9])", clip):
        return True
    if "polygon(" in clip and len(set(_numbers(clip))) <= 1:
        return True
    rectangle = style.get("clip", "")
    numbers = _numbers(rectangle)
    return "rect(" in rectangle and len(numbers) == 4 and max(numbers) - min(numbers) <= 2


def _is_closed_box(style: dict[str, str]) -> bool:
    """A box too small to show a letter, whose content does not spill over."""
    overflow = " ".join(style.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    if not re.search(r"hidden|clip|scroll|auto", overflow):
        return False
    sides = ("width", "height", "inline-size", "block-size")
    sizes = (_first(style.get(prefix + side)) for side in sides for prefix in ("", "max-"))
    return any(size is not None and abs(size) <= 2 for size in sizes)


def _is_gone(style: dict[str, str]) -> bool:
    """Hidden in a way that nothing inside can undo."""
    if style.get("display") == "none" or style.get("content-visibility") == "hidden":
        return True
    spacing = _first(style.get("letter-spacing"))
    return (spacing is not None and spacing <= -8) or _is_away(style) or _is_shrunk(style) or _is_closed_box(style)


def _opacity(style: dict[str, str]) -> float:
    values = [style.get("opacity", "")]
    values += re.findall(r"opacity\(([^()]*)\)", style.get("filter", style.get("-webkit-filter", "")))
    result = 1.0
    for value in values:
        for number in _numbers(value)[:1]:
            result *= max(0.0, min(1.0, number / 100 if "%" in value else number))
    return result


def _size(style: dict[str, str], inherited: float) -> float:
    value = style.get("font-size", "")
    if not value and "font" in style:
        match = _LENGTH.search(re.sub(r"\b\d+\b(?=\s)", "", style["font"]))  # a bare number is a weight
        value = match.group(0) if match else ""
    if value in _SIZES:
        return _SIZES[value]
    match = _LENGTH.match(value)
    if not match:
        return inherited
    number, unit = float(match.group(1)), match.group(2)
    if unit in ("em", "%"):
        return inherited * (number if unit == "em" else number / 100)
    return number * _PER_UNIT.get(unit, 1.0)


def _grounds(style: dict[str, str], below: Colour | None) -> Colour | None:
    """The colour behind the text; None where a picture or a gradient lies there."""
    ground = below
    for name in ("background", "background-color"):
        value = style.get(name)
        if not value:
            continue
        named = _colour(value)
        if "url(" in value or "gradient" in value:
            ground = None
        elif named is None:
            ground = below if value in ("none", "inherit", "initial", "unset") else None
        elif named[3] > 0.5:
            ground = named
    return ground


def _inks(style: dict[str, str], above: Colour | None) -> Colour | None:
    value = style.get("-webkit-text-fill-color") or style.get("color")
    if not value or value in ("inherit", "currentcolor", "unset"):
        return above
    return _BLACK if value == "initial" else _colour(value)


def is_value(name: str, value: str) -> bool:
    """Whether a browser would take this as a value of the property, as far as is known here."""
    if value in _EVERYWHERE or "var(" in value or name.startswith("--"):
        return True
    words = value.split()
    if name in _COLOURS:
        return value == "currentcolor" or "(" in value or _colour(value) is not None
    if name in ("background", "font"):
        return bool(words) and (name == "font" or value == "none" or "(" in value or _colour(value) is not None)
    if name in _NUMBERS and all(_ONE_NUMBER.fullmatch(word) for word in words):
        return bool(words)
    if name in _WORDS and words and all(word in _WORDS[name] for word in words):
        return True
    if name in ("display", "visibility", "position", "content-visibility") or name.startswith("overflow"):
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
    if opacity <= 0.1 or _is_gone(style):
        return None
    visibility = style.get("visibility", "")
    return replace(
        above,
        shown={"hidden": False, "collapse": False, "visible": True, "initial": True}.get(visibility, above.shown),
        opacity=opacity,
        size=_size(style, above.size),
        ink=_inks(style, above.ink),
        ground=_grounds(style, above.ground),
        variables=variables,
    )
