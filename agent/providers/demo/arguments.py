"""The arguments that a sentence holds, by the schema of the tool and the values in its examples."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from agent.providers.demo.words import SILENT, english, stem, stems, tokens, words_of

BARE_DIGITS = 5  # fewer may be a year, a size or an amount
NUMBER = r"\d{1,3}(?:[.,]\d{3})+(?:[.,]\d{2})?|\d+(?:[.,]\d{1,2})?"
CURRENCY = r"€|\$|£|euros?\b|eur\b|dollars?\b|usd\b|pounds?\b|gbp\b"
AMOUNT = re.compile(rf"(?:{CURRENCY})\s*({NUMBER})|(?<![\w.,-])({NUMBER})\s*(?:{CURRENCY})", re.I)
BARE_NUMBER = re.compile(rf"(?<![\w#.,-])({NUMBER})(?![\w%-])")
ARTICLES = "a|an|the|der|die|das|den|ein|eine|einen"
ARITHMETIC = re.compile(r"[(\d][\d\s.,()]*(?:[-+*/x×÷:][\d\s.,()]+)+")


@dataclass(frozen=True)
class Parameter:
    """One argument of a tool: its schema, and the examples as pairs of sentence and value."""

    name: str
    schema: dict[str, Any]
    required: bool
    samples: tuple[tuple[str, Any], ...] = ()
    subject: frozenset[str] = frozenset()  # stems of what its tool is about: they choose nothing
    is_of_address: bool = False
    is_in_english: bool = False

    @cached_property
    def branches(self) -> list[dict[str, Any]]:
        """The schemas that a value may satisfy."""
        return [branch for branch in self.schema.get("anyOf", [self.schema]) if branch.get("type") != "null"]

    @cached_property
    def choices(self) -> list[Any]:
        """The only values that there are, where the schema lists them."""
        listed = (branch.get("enum", [branch["const"]] if "const" in branch else []) for branch in self.branches)
        return [value for values in listed for value in values]

    @cached_property
    def kind(self) -> str:
        """How its value is found: choice, amount, number, id, arithmetic, excerpt, text or flag in a sentence; several
        in records, the part of an address with the other parts."""
        types = {str(branch.get("type")) for branch in self.branches}
        values = [str(value) for _, value in self.samples]
        if types & {"array", "object"}:
            return "several"
        if self.is_of_address:
            return "address"
        if self.choices:
            return "choice"
        if "number" in types or "amount" in self.name:
            return "amount"
        if types <= {"integer", "boolean"}:
            return "number" if "integer" in types else "flag"
        if values and all(ARITHMETIC.fullmatch(value) for value in values):
            return "arithmetic"
        if self._strict_patterns or (values and all(re.fullmatch(r"(?=.*\d)(?=.*[A-Za-z])\S+", v) for v in values)):
            return "id"
        in_sentence = not values or any(str(value).lower() in says.lower() for says, value in self.samples)
        return "excerpt" if in_sentence else "text"

    @cached_property
    def inner(self) -> list["Parameter"]:
        """Of a list: what each of its things is made of."""
        things: dict[str, Any] = next((branch["items"] for branch in self.branches if "items" in branch), {})
        fields = things.get("properties") or {self.name.removesuffix("s"): things}
        return [Parameter(name, schema, True) for name, schema in fields.items()]

    @cached_property
    def description(self) -> str:
        """What the schema says of it."""
        return " ".join(str(part.get("description", "")) for part in (self.schema, *self.branches))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words in its values: the kinds of payment methods, say, where their ids tell them."""
        return frozenset(word for _, value in self.samples for word in tokens(str(value)) if word.isalpha())

    @cached_property
    def _strict_patterns(self) -> list[str]:
        """The schema's patterns that tell an id from any other word."""
        patterns = [
            branch["pattern"].removeprefix("^").removesuffix("$") for branch in self.branches if "pattern" in branch
        ]
        return [found for found in patterns if not any(re.fullmatch(found, word) for word in ("order", "my", "12"))]

    @cached_property
    def _shapes(self) -> list[tuple[str, str, str, int]]:
        """What the examples' values look like: sign, letters, what stands between, and how many digits."""
        values = [str(value) for _, value in self.samples]
        found = [re.fullmatch(r"(#?)([A-Za-z_]+)([- ]?)(\d+)", value) for value in values]
        return sorted({(match[1], match[2], match[3], len(match[4])) for match in found if match})

    def values_in(self, text: str) -> list[Any]:
        """The values that a sentence gives it, in their order."""
        found = getattr(self, f"_{self.kind}")(text)
        return list(dict.fromkeys(found))

    @cached_property
    def openings(self) -> list[str]:
        """How sentences begin that end in an excerpt: "do you sell ". One word alone would say too little."""
        pairs = [(says.lower(), str(value).lower()) for says, value in self.samples if value and self.kind == "excerpt"]
        found = [re.sub(rf"\b({ARTICLES}) $", "", says.partition(value)[0]) for says, value in pairs if value in says]
        return [opening for opening in found if opening.count(" ") > 1]

    def _choice(self, text: str) -> list[Any]:
        """The choice whose own words, or whose examples' words, the sentence shares most of."""
        said = stems(text) - self.subject
        common = frozenset.intersection(*[stems(says) for says, _ in self.samples]) if len(self.samples) > 1 else set()
        scores = {
            value: 2 * len(said & stems(str(value).replace("_", " ")))
            + max([len(said & stems(says) - common) for says, sample in self.samples if sample == value], default=0)
            for value in self.choices
        }
        best = max(scores, key=lambda value: scores[value])
        if scores[best] > 0 and list(scores.values()).count(scores[best]) == 1:
            return [best]
        # Where every example has the same, it is the usual one; anything else would be made up.
        usual = {value for _, value in self.samples}
        return list(usual) if len(usual) == 1 else []

    def _amount(self, text: str) -> list[str]:
        marked = [first or second for first, second in AMOUNT.findall(text)]
        return [two_places(number) for number in marked or BARE_NUMBER.findall(text)]

    def _number(self, text: str) -> list[int]:
        return [int(number) for number in BARE_NUMBER.findall(text) if number.isdigit()]

    def _several(self, text: str) -> list[Any]:
        return []

    def _address(self, text: str) -> list[Any]:
        return []

    def _flag(self, text: str) -> list[bool]:
        return []

    def _arithmetic(self, text: str) -> list[str]:
        return [found.strip() for found in ARITHMETIC.findall(text)]

    def _id(self, text: str) -> list[str]:
        """In the shape of an example, however it was spaced and cased; else a word that the schema's pattern takes."""
        found = {}
        for sign, letters, middle, digits in self._shapes:
            beginning = rf"#?{letters}[- ]?"
            if digits >= BARE_DIGITS and [shape[3] for shape in self._shapes].count(digits) == 1:
                beginning = f"(?:{beginning})?"  # the digits alone can mean nothing else
            for match in re.finditer(rf"(?<![\w#.,-]){beginning}(\d{{{digits}}})(?![\w.,]\d)", text, re.I):
                found[match.start()] = f"{sign}{letters}{middle}{match[1]}"
        if not found:
            words = [word.strip(".,;:!?()\"'") for word in text.split()]
            return [w for w in words if any(re.fullmatch(p, w) for p in self._strict_patterns) and not AMOUNT.search(w)]
        return [found[start] for start in sorted(found)]

    def _excerpt(self, text: str) -> list[str]:
        """The words that are not of the frame in which such a wish is put."""
        frame = {stem(w) for says, value in self.samples for w in set(words_of(says)) - set(words_of(str(value)))}
        words = re.findall(r"[^\W\d_][\w-]*", text)
        left = [word for word in words if word.lower() not in SILENT and stem(word) not in frame]
        left = [english(word) for word in left] if self.is_in_english else left
        return [" ".join(left)] if left else []

    def _text(self, text: str) -> list[str]:
        return [text.strip()[: self.schema.get("maxLength", 500)]]


def two_places(number: str) -> str:
    """ "42,5" and "1.234,50" as a decimal point and two places write them."""
    whole, cents = re.fullmatch(r"(.*?)(?:[.,](\d{1,2}))?", number).groups()  # type: ignore[union-attr]
    return f"{int(re.sub('[.,]', '', whole))}.{(cents or '').ljust(2, '0')}"
