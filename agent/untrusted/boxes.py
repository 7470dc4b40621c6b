"""Whether the box of an element lies where nobody looks, or is too small, clipped, masked or turned to be seen."""

import math
import re

from agent.untrusted.colours import colour_in
from agent.untrusted.values import degrees, first, functions, lengths, numbers

FAR = 500.0  # pixels: further out than any layout puts what is to be seen
FAR_RIGHT = 4000.0
_SIDES = (
    "left", "right", "top", "bottom", "inset", "inset-inline", "inset-block", "inset-inline-start", "inset-block-start",
)  # fmt: skip
_SCREEN = {"left": 1280.0, "right": 1280.0, "top": 800.0, "bottom": 800.0}
_EDGE = 0.05  # of its size: what is left of something that is nearly seen from its edge
Style = dict[str, str]


def is_gone(style: Style) -> bool:
    """Hidden in a way that nothing inside can undo."""
    if style.get("display") in ("none", "table-column", "table-column-group"):
        return True
    if style.get("content-visibility") == "hidden" or "url(" in style.get("content", ""):
        return True
    if style.get("-webkit-text-security", "none") != "none":
        return True
    spacing = first(style.get("letter-spacing"))
    if spacing is not None and spacing <= -8:
        return True
    return any(rule(style) for rule in (_is_away, _is_turned_away, _is_clipped, _is_masked, _is_closed_box))


def _turns(style: Style) -> list[tuple[str, str]]:
    """The functions by which an element is moved, turned and scaled."""
    found = functions(style.get("transform", style.get("-webkit-transform", "")))
    for name in ("translate", "scale", "rotate"):
        value = style.get(name, "none")
        if value != "none":
            found.append((name, value))
    return found


def _is_away(style: Style) -> bool:
    """Moved off the screen."""
    if style.get("position", "static") != "static":
        for side in _SIDES:
            if any(length <= -FAR or length >= FAR_RIGHT for length in lengths(style.get(side, ""))):
                return True
    if style.get("position") == "fixed":  # nobody can scroll there
        for side, size in _SCREEN.items():
            if any(length >= size for length in lengths(style.get(side, ""), percent=size / 100)):
                return True
    # A menu is moved by its own height to stand above its button: -100% of itself is not away.
    moved = [length for name, value in _turns(style) for length in _moves(name, value)]
    for name, value in style.items():
        if name.startswith(("margin", "padding")):
            moved += lengths(value)
    indent = style.get("text-indent", "")
    moved += lengths(indent)
    if _clips(style) and any(share >= 0.95 for share in numbers(indent) if "%" in indent):
        return True
    return any(length <= -FAR or length >= FAR_RIGHT for length in moved)


def _moves(name: str, value: str) -> list[float]:
    if name.startswith("translate"):
        return lengths(value, percent=4.0)
    found = numbers(value)
    if name == "matrix" and len(found) == 6:
        return found[4:]
    return found[12:14] if name == "matrix3d" and len(found) == 16 else []


def _is_turned_away(style: Style) -> bool:
    """Seen from its edge, from behind where there is nothing to be seen, or made as small as a point."""
    for name, value in [*_turns(style), ("scale", style.get("zoom", ""))]:
        found = numbers(value)
        if name.startswith("scale") and any(abs(number) < _EDGE for number in found):
            return True
        if name == "matrix" and len(found) == 6 and abs(found[0] * found[3] - found[1] * found[2]) < _EDGE**2:
            return True
        if name == "matrix3d" and len(found) == 16 and abs(found[0] * found[5] - found[1] * found[4]) < _EDGE**2:
            return True
        if name.startswith("skew") and abs(math.cos(math.radians(degrees(value)))) < _EDGE:
            return True
        is_into_depth = name in ("rotatex", "rotatey") or (
            (name == "rotate3d" and len(found) == 4 and not found[2])
            or (name == "rotate" and re.match(r"\s*[xy]\b|\s*[-\d.]+\s+[-\d.]+\s+0\b", value) is not None)
        )
        front = math.cos(math.radians(degrees(value))) if is_into_depth else 1.0
        if abs(front) < _EDGE or (front < 0 and style.get("backface-visibility") == "hidden"):
            return True
    return False


def _is_clipped(style: Style) -> bool:
    clip = style.get("clip-path", style.get("-webkit-clip-path", ""))
    found = numbers(clip)
    if "inset(" in clip and any(n >= 0.5 and "%" in clip for n in found):
        return True
    if re.search(r"(?:circle|ellipse)\(\s*0(?![.\d]*[1-9])", clip):
        return True
    if clip.startswith(("polygon(", "rect(")) and len(set(found)) <= 1 and "auto" not in clip:
        return True
    if clip.startswith("polygon(") and len(found) >= 4 and _area(found) < 1e-4:
        return True
    if clip.startswith("path(") and len(found) < 6:
        return True
    if clip.startswith("xywh(") and len(found) >= 4 and min(found[2:4]) <= 0:
        return True
    rectangle = style.get("clip", "")
    sides = lengths(rectangle)
    return "rect(" in rectangle and len(sides) == 4 and max(sides) - min(sides) <= 2


def _area(found: list[float]) -> float:
    """Of the polygon through these points, x and y in turn."""
    points = list(zip(found[::2], found[1::2], strict=False))
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, points[1:] + points[:1], strict=True))) / 2


def _is_masked(style: Style) -> bool:
    """Behind a mask without a single place to look through."""
    for name in ("mask", "mask-image", "-webkit-mask", "-webkit-mask-image"):
        value, count = re.subn(r"[a-z-]*gradient\(", " ", style.get(name, ""))
        stops = [colour_in(part) for part in re.findall(r"#[0-9a-f]+|[a-z]+\([^()]*\)|[a-z]+", value)]
        known = [stop for stop in stops if stop]
        sizes = numbers(style.get("mask-size", style.get("-webkit-mask-size", "")))
        if count and 0 in sizes:
            return True
        if count and known and all(stop[3] < 0.1 for stop in known):
            return True
    return False


def _clips(style: Style) -> bool:
    overflow = " ".join(style.get(name, "") for name in ("overflow", "overflow-x", "overflow-y"))
    return re.search(r"hidden|clip|scroll|auto", overflow) is not None


def _is_closed_box(style: Style) -> bool:
    """A box too small to show a letter, whose content does not spill over."""
    sides = ("width", "height", "inline-size", "block-size")
    contained = set(style.get("contain", "").split())
    if "strict" in contained or {"size", "paint"} <= contained:
        return not any(style.get(prefix + side) for side in sides[1::2] for prefix in ("", "min-"))
    if not _clips(style):
        return False
    if re.fullmatch(r"[-+]?(?:0++\.?0*+|\.0++)(?:[a-z]+|%)?", style.get("line-height", "normal")):
        return True
    sizes = (first(style.get(prefix + side)) for side in sides for prefix in ("", "max-"))
    return any(size is not None and abs(size) <= 2 for size in sizes)
