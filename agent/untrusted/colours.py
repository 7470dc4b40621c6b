"""Colours, as far as it must be told whether two are the same: names, numbers, and what CSS mixes of them."""

import math
import re
from collections.abc import Callable

from agent.untrusted.values import numbers

Colour = tuple[float, float, float, float]
WHITE: Colour = (255.0, 255.0, 255.0, 1.0)
BLACK: Colour = (0.0, 0.0, 0.0, 1.0)
CLEAR: Colour = (0.0, 0.0, 0.0, 0.0)

_TABLE = """
aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4 black 000000
blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887 cadetblue 5f9ea0 chartreuse 7fff00
chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc crimson dc143c cyan 00ffff darkblue 00008b
darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9 darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b
darkmagenta 8b008b darkolivegreen 556b2f darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a
darkseagreen 8fbc8f darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1
darkviolet 9400d3 deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222
floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700 goldenrod daa520
gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4 indianred cd5c5c indigo 4b0082
ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5 lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6
lightcoral f08080 lightcyan e0ffff lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3
lightpink ffb6c1 lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899
lightslategrey 778899 lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6
magenta ff00ff maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db
mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc mediumvioletred c71585
midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5 navajowhite ffdead navy 000080 oldlace fdf5e6
olive 808000 olivedrab 6b8e23 orange ffa500 orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98
paleturquoise afeeee palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd
powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1 saddlebrown 8b4513
salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d silver c0c0c0 skyblue 87ceeb
slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa springgreen 00ff7f steelblue 4682b4 tan d2b48c
teal 008080 thistle d8bfd8 tomato ff6347 turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5
yellow ffff00 yellowgreen 9acd32 canvas ffffff canvastext 000000
"""
_WORDS = _TABLE.split()
_NAMED = dict(zip(_WORDS[::2], _WORDS[1::2], strict=True))

_FUNCTION = re.compile(r"(rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\(([^()]*)\)")
_MIXED = re.compile(r"color-mix\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_EITHER = re.compile(r"light-dark\(([^(),]*(?:\([^()]*\)[^(),]*)*)")
_BLENDS: dict[str, Callable[[float, float], float]] = {
    "screen": lambda ink, ground: 255 - (255 - ink) * (255 - ground) / 255,
    "multiply": lambda ink, ground: ink * ground / 255,
    "lighten": max,
    "darken": min,
    "color-dodge": lambda _ink, ground: 255.0 if ground else 0.0,
    "plus-lighter": lambda ink, ground: min(255.0, ink + ground),
}


def colour_in(value: str) -> Colour | None:
    """The first colour that a value names, or None where it cannot be told."""
    value = _EITHER.sub(lambda match: f" {match.group(1)} ", value)
    mixed = _MIXED.search(value)
    if mixed:
        return _mix(mixed.group(1))
    if "transparent" in value.split():
        return CLEAR
    function = _FUNCTION.search(value)
    if function:
        return _from_function(function.group(1), function.group(2))
    hexadecimal = re.search(r"#([0-9a-f]{3,8})\b", value)
    name = next((_NAMED[word] for word in value.split() if word in _NAMED), None)
    digits = hexadecimal.group(1) if hexadecimal else name
    return _from_hex(digits) if digits else None


def is_same(ink: Colour | None, ground: Colour | None) -> bool:
    """Whether nobody can tell the one on the other. What is not known is told apart."""
    if ink is None:
        return False
    if ink[3] < 0.1:
        return True
    return ground is not None and sum((a - b) ** 2 for a, b in zip(ink[:3], ground[:3], strict=True)) < 24.0**2


def colour_of_gradient(value: str) -> Colour | None:
    """The colour of a gradient from one to the same; None of any other."""
    inside = re.sub(r"[a-z-]*gradient\(", " ", value)
    stops = [colour_in(part) for part in re.findall(r"#[0-9a-f]+|[a-z]+\([^()]*\)|[a-z]+", inside)]
    known = [stop for stop in stops if stop]
    return known[0] if known and all(is_same(stop, known[0]) for stop in known) else None


def filtered(value: str, colour: Colour | None) -> Colour | None:
    """The colour as brightness() and contrast() show it."""
    if colour is None:
        return None
    parts = list(colour[:3])
    for name, amount in re.findall(r"(brightness|contrast)\(([^()]*)\)", value):
        factor = (numbers(amount) or [1.0])[0]
        around = 127.5 if name == "contrast" else 0.0
        parts = [max(0.0, min(255.0, (part - around) * factor + around)) for part in parts]
    return parts[0], parts[1], parts[2], colour[3]


def inverted(colour: Colour | None) -> Colour | None:
    return None if colour is None else (255 - colour[0], 255 - colour[1], 255 - colour[2], colour[3])


def blended(mode: str, ink: Colour | None, ground: Colour | None) -> Colour | None:
    """The ink as `mix-blend-mode` shows it on the ground."""
    blend = _BLENDS.get(mode)
    if blend is None or ink is None or ground is None:
        return ink
    red, green, blue = (blend(a, b) for a, b in zip(ink[:3], ground[:3], strict=True))
    return red, green, blue, ink[3]


def _mix(arguments: str) -> Colour | None:
    """Of two colours, by their shares; the space in which it is done makes little difference to an eye."""
    parts = re.findall(r"(?:[^(),]|\([^()]*\))+", arguments)[1:]
    found = [colour_in(part.strip()) for part in parts]
    if len(found) != 2 or found[0] is None or found[1] is None:
        return None
    outside = (re.sub(r"\([^()]*\)", "", part) for part in parts)
    shares = [re.search(r"([\d.]+)%", part) for part in outside]
    second = _share(shares[1]) if shares[1] else 1 - _share(shares[0])
    red, green, blue, alpha = (a * (1 - second) + b * second for a, b in zip(*found, strict=True))
    return red, green, blue, alpha


def _share(match: re.Match[str] | None) -> float:
    return min(1.0, numbers(match.group(0))[0]) if match and numbers(match.group(0)) else 0.5


def _from_function(name: str, arguments: str) -> Colour | None:
    parts = [part for part in re.split(r"[\s,/]+", arguments.strip()) if part]
    if parts and parts[0] == "from":
        return colour_in(parts[1]) if len(parts) > 1 else None  # made from it: near enough
    if name == "color":
        name, parts = "srgb", parts[1:]
    if len(parts) < 3:
        return None
    try:
        alpha = _channel(parts[3], 1.0) if len(parts) > 3 else 1.0
        return _SPACES[name](parts, alpha)
    except (ValueError, OverflowError):
        return None


def _channel(text: str, whole: float) -> float:
    number = float(re.sub(r"[^\d.e+-]", "", text) or 0)
    return number / 100 * whole if text.endswith("%") else number


def _rgb(parts: list[str], alpha: float) -> Colour:
    red, green, blue = (_channel(part, 255) for part in parts[:3])
    return red, green, blue, alpha


def _srgb(parts: list[str], alpha: float) -> Colour:
    red, green, blue = (255 * _channel(part, 1) for part in parts[:3])
    return red, green, blue, alpha


def _hsl(parts: list[str], alpha: float) -> Colour:
    hue, saturation, lightness = _channel(parts[0], 360), _hundredth(parts[1]), _hundredth(parts[2])
    reach = saturation * min(lightness, 1 - lightness)

    def channel(offset: float) -> float:
        place = (offset + hue / 30) % 12
        return 255 * (lightness - reach * max(-1.0, min(place - 3, 9 - place, 1.0)))

    return channel(0), channel(8), channel(4), alpha


def _hundredth(text: str) -> float:
    """50% and, as CSS lets it be written now, 50."""
    return _channel(text, 1) if text.endswith("%") else _channel(text, 1) / (1 if _channel(text, 1) <= 1 else 100)


def _hwb(parts: list[str], alpha: float) -> Colour:
    white, black = _hundredth(parts[1]), _hundredth(parts[2])
    if white + black >= 1:
        grey = 255 * white / (white + black)
        return grey, grey, grey, alpha
    red, green, blue, _ = _hsl([parts[0], "100%", "50%"], alpha)
    red, green, blue = (255 * white + part * (1 - white - black) for part in (red, green, blue))
    return red, green, blue, alpha


def _lightness(parts: list[str], alpha: float, *, whole: float, reach: float, is_polar: bool) -> Colour:
    """Not the colour, but one that is as light, and another one for another hue: enough to tell two apart."""
    light = max(0.0, min(1.0, _channel(parts[0], whole) / whole))
    first, second = _channel(parts[1], reach) / reach, _channel(parts[2], reach)
    if is_polar:
        first, second = first * math.cos(math.radians(second)), first * math.sin(math.radians(second)) * reach
    second /= reach
    room = 255 * min(light, 1 - light)
    return 255 * light + room * first, 255 * light - room * first, 255 * light - room * second, alpha


_SPACES = {
    "rgb": _rgb,
    "srgb": _srgb,
    "hsl": _hsl,
    "hwb": _hwb,
    "lab": lambda parts, alpha: _lightness(parts, alpha, whole=100, reach=125, is_polar=False),
    "lch": lambda parts, alpha: _lightness(parts, alpha, whole=100, reach=150, is_polar=True),
    "oklab": lambda parts, alpha: _lightness(parts, alpha, whole=1, reach=0.4, is_polar=False),
    "oklch": lambda parts, alpha: _lightness(parts, alpha, whole=1, reach=0.4, is_polar=True),
}


def _from_hex(digits: str) -> Colour | None:
    if len(digits) in (3, 4):
        digits = "".join(digit * 2 for digit in digits)
    if len(digits) not in (6, 8):
        return None
    red, green, blue = (int(digits[start : start + 2], 16) for start in (0, 2, 4))
    return float(red), float(green), float(blue), int(digits[6:8], 16) / 255 if len(digits) == 8 else 1.0
