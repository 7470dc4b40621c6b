"""Numbers in the values of CSS: lengths in pixels, angles in degrees, sums and products as far as they go."""

import math
import re

PER_UNIT = {
    "px": 1.0, "": 1.0, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "lh": 24.0, "pt": 1.333, "pc": 16.0, "in": 96.0,
    "cm": 37.8, "mm": 3.78, "q": 0.945, "vw": 12.8, "vh": 8.0, "vmin": 8.0, "vmax": 12.8,
}  # fmt: skip
LENGTH = re.compile(r"(?<![\w.#-])([-+]?(?:\d++\.?\d*+|\.\d++)(?:e[-+]?\d++)?)([a-z%]*)")
_PER_ANGLE = {"deg": 1.0, "grad": 0.9, "rad": 180 / math.pi, "turn": 360.0}
_FUNCTION = re.compile(r"([a-z0-9-]+)\(([^()]*)\)")
_PICKS = {"min(": min, "max(": max}


def numbers(value: str) -> list[float]:
    """Every number, whatever its unit; of one in per cent its hundredth part."""
    return [float(number) / (100 if unit == "%" else 1) for number, unit in LENGTH.findall(value)]


def lengths(value: str, *, percent: float = 6.0) -> list[float]:
    """Every length in pixels; a calc() is worked out as far as a product or a sum goes, of min() and max() the pick.

    `percent` is what one per cent is taken for: of what, only a layout would know.
    """
    if "calc(" in value:
        value = re.sub(r"\s-\s+(?=[\d.])", " -", value)
    units = {**PER_UNIT, "%": percent}
    found = [float(number) * units.get(unit, 1.0) for number, unit in LENGTH.findall(value)]
    if "calc(" in value and found:
        return [math.prod(found) if "*" in value else sum(found)]
    if "clamp(" in value and len(found) == 3:
        return [max(found[0], min(found[1], found[2]))]
    pick = next((pick for name, pick in _PICKS.items() if name in value), None)
    return [pick(found)] if pick and found else found


def first(value: str | None, *, percent: float = 6.0) -> float | None:
    """The first length, if there is one."""
    found = lengths(value or "", percent=percent)
    return found[0] if found else None


def degrees(value: str) -> float:
    """The last angle in the value; 0 where there is none."""
    found = [(number, unit) for number, unit in LENGTH.findall(value) if unit in _PER_ANGLE]
    angle = float(found[-1][0]) * _PER_ANGLE[found[-1][1]] if found else 0.0
    return angle if math.isfinite(angle) else 0.0  # 1e999turn: as often round as it takes


def functions(value: str) -> list[tuple[str, str]]:
    """The innermost functions in the value: name and what stands between the brackets."""
    return _FUNCTION.findall(value)
