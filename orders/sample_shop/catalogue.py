"""What the sample shop sells. A sku is the product's code and the beginnings of its options: MUG-SAND-250."""

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class SampleProduct:
    """A product in every combination of a look and a size; prices in cents belong to the size."""

    code: str
    name: str
    look: tuple[str, tuple[str, ...]]  # the option's name and its values
    size: tuple[str, dict[str, int]]  # the option's name, and each value's price
    sold_out: tuple[str, ...] = ()  # skus

    def variants(self) -> Iterator[tuple[str, dict[str, str], int]]:
        """Sku, options and price of each."""
        for look in self.look[1]:
            for size, price in self.size[1].items():
                yield f"{self.code}-{_short(look)}-{_short(size)}", {self.look[0]: look, self.size[0]: size}, price


def _short(value: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", value.upper())[:4]


PRODUCTS = (
    SampleProduct(
        "MUG",
        "Stoneware Mug",
        ("colour", ("sand", "blue", "moss")),
        ("volume", {"250 ml": 1600, "400 ml": 1900}),
        sold_out=("MUG-MOSS-400M",),
    ),
    SampleProduct(
        "KETTLE",
        "Pour-over Kettle",
        ("finish", ("steel", "black")),
        ("volume", {"0.6 l": 5400, "1.0 l": 6200}),
    ),
    SampleProduct(
        "BEANS",
        "Coffee Beans",
        ("roast", ("light", "medium", "dark")),
        ("weight", {"250 g": 890, "1 kg": 2990}),
    ),
    SampleProduct(
        "APRON",
        "Linen Apron",
        ("colour", ("natural", "ink")),
        ("length", {"short": 3400, "long": 3900}),
    ),
    SampleProduct(
        "PAN",
        "Cast-iron Pan",
        ("handle", ("iron", "beech")),
        ("diameter", {"24 cm": 4900, "28 cm": 5900}),
    ),
    SampleProduct(
        "KNIFE",
        "Chef's Knife",
        ("handle", ("walnut", "olive")),
        ("blade", {"16 cm": 7200, "20 cm": 8400}),
        sold_out=("KNIFE-OLIV-20CM",),
    ),
    SampleProduct(
        "BOARD",
        "Cutting Board",
        ("wood", ("oak", "walnut")),
        ("size", {"small": 2900, "large": 4500}),
    ),
    SampleProduct(
        "BOTTLE",
        "Thermos Bottle",
        ("colour", ("white", "green", "graphite")),
        ("volume", {"0.5 l": 2600, "0.75 l": 3100}),
    ),
    SampleProduct(
        "BACKPACK",
        "Canvas Backpack",
        ("colour", ("olive", "navy", "sand")),
        ("volume", {"16 l": 7900, "22 l": 9500}),
    ),
    SampleProduct(
        "SOCKS",
        "Merino Socks",
        ("colour", ("grey", "rust", "navy")),
        ("size", {"36-38": 1450, "39-42": 1450, "43-46": 1450}),
    ),
    SampleProduct(
        "JACKET",
        "Rain Jacket",
        ("colour", ("yellow", "navy")),
        ("size", {"S": 11900, "M": 11900, "L": 11900, "XL": 12400}),
        sold_out=("JACKET-YELL-S",),
    ),
    SampleProduct(
        "BLANKET",
        "Wool Blanket",
        ("pattern", ("plain", "herringbone")),
        ("size", {"130 x 180 cm": 8900, "150 x 200 cm": 10900}),
    ),
    SampleProduct(
        "LAMP",
        "Desk Lamp",
        ("colour", ("white", "black", "brass")),
        ("cable", {"USB-C": 6900, "mains": 7400}),
    ),
    SampleProduct(
        "NOTES",
        "Notebook",
        ("ruling", ("plain", "dotted", "lined")),
        ("size", {"A6": 950, "A5": 1250}),
    ),
    SampleProduct(
        "BELL",
        "Bicycle Bell",
        ("finish", ("brass", "black")),
        ("mount", {"22 mm": 1800, "25 mm": 1800}),
    ),
)
