"""Characters: what a reader cannot see goes, what could be taken for a mark-up bracket or our own fence is defused."""

import html
import re
import unicodedata

LIMIT = 8000
CUT = "\n[The text goes on; it was cut here.]"

# Shown as nothing, or as a blank, although their category is that of a letter or a mark.
_BLANKS = (
    (0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2065, 0x2065), (0x2800, 0x2800),
    (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFC), (0x1D159, 0x1D159), (0xE0000, 0xE0FFF),
)  # fmt: skip
# Format characters that do have a shape: Arabic and Syriac signs that stand around numbers and verses.
_SHOWN_FORMATS = {*range(0x0600, 0x0606), 0x06DD, 0x070F, 0x0890, 0x0891, 0x08E2, 0x110BD, 0x110CD}
_HOLDING = "\xa0\u202f"  # no line ends there
_HELD = re.compile(f"([{_HOLDING}])")
_BREAKING = re.compile(f"[^\\S{_HOLDING}]+")
_SPACES = re.compile(r"[ \t]+")
_EMPTY_LINES = re.compile(r"\n{3,}")
_NEWLINES = {0x0B, 0x0C, 0x85, 0x2028, 0x2029}


class _Shown(dict[int, int | str | None]):
    """A table for str.translate that decides each character once."""

    def __missing__(self, code: int) -> int | str | None:
        self[code] = _shown(code)
        return self[code]


def _shown(code: int) -> int | str | None:
    category = unicodedata.category(chr(code))
    if code in (0x09, 0x0A):
        return code
    if code in _NEWLINES:
        return "\n"
    if category == "Zs":
        return " "
    if category in ("Cc", "Cs", "Co") or (category == "Cf" and code not in _SHOWN_FORMATS):
        return None
    if code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF or any(low <= code <= high for low, high in _BLANKS):
        return None
    return code


_SHOWN = _Shown()


def visible(text: str) -> str:
    """The text without control, invisible, bidirectional, private-use and blank characters. Length is not bounded."""
    return text.replace("\r\n", "\n").replace("\r", "\n").translate(_SHOWN)


def visible_line(text: str) -> str:
    """The same as one line. The spaces that hold an amount and its currency together stay."""
    shown = "".join(part if part in _HOLDING else visible(part) for part in _HELD.split(text))
    return _BREAKING.sub(" ", shown).strip()


def cut(text: str, limit: int) -> str:
    """At most `limit` characters, the mark that says it was cut included."""
    if len(text) <= limit:
        return text
    return text[: max(0, limit - len(CUT))].rstrip() + CUT[-limit:] if limit else ""


def clean_text(text: str, limit: int = LIMIT) -> str:
    """Text as a reader sees it: nothing invisible, spaces and empty lines collapsed, at most `limit` characters."""
    lines = (_SPACES.sub(" ", line).strip() for line in visible(text).split("\n"))
    return cut(_EMPTY_LINES.sub("\n\n", "\n".join(lines)).strip(), limit)


# Everything that reads as < or >, also where something later might decode it.
_OPENING = re.compile(
    r"[<\uff1c\ufe64\u2329\u3008\u27e8\u276c\u276e\u2770\u29fc\u2991\u02c2\u1438\u227a\u22d6]|%3c|\\u003c|\\x3c",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"[>\uff1e\ufe65\u232a\u3009\u27e9\u276d\u276f\u2771\u29fd\u2992\u02c3\u1433\u227b\u22d7]|%3e|\\u003e|\\x3e",
    re.IGNORECASE,
)
_LONG_REFERENCE = re.compile(r"&#(?:[xX][0-9a-fA-F]{8,}|[0-9]{8,});?")
# Letters of other scripts that look like those of the fence's name; NFKD folds the rest (ｕ, 𝐮, ⓤ).
_LOOK_ALIKE = str.maketrans("υսցոпгтѕсеоіԁϲοτνղᴜɴᴛʀꜱᴅᴄᴏᴇ", "uugnnrtsceoidcotvnuntrsdcoe")
# Up to four letters between the two words: an underscore may be written %5F, \\u005f or +AF8-.
_NAME = re.compile(r"untrusted[a-z]{0,4}?content")
_NO_LETTER = re.compile(r"[^a-zA-Z]+")
_WORD_REST = re.compile(r"[\w-]*")
_MARKUP_BEFORE = re.compile(r"[‹/\\|?!\[{-][\s‹/\\|?!\[{-]*(?:end(?: of)?\s+)?$", re.IGNORECASE)
_REMOVED = "[removed]"


def _undo_entities(text: str) -> str:
    """A model reads `&lt;` as well as `<`, and `&amp;lt;` too."""
    for _ in range(3):
        if "&" not in text:
            break
        text = html.unescape(_LONG_REFERENCE.sub("\N{REPLACEMENT CHARACTER}", text))
    return text


def _letters(text: str) -> tuple[str, list[int]]:
    """What the text spells to the eye, in plain letters, and where in the text each letter stands."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for folded in unicodedata.normalize("NFKD", character).casefold().translate(_LOOK_ALIKE):
            if "a" <= folded <= "z":
                letters.append(folded)
                places.append(place)
    return "".join(letters), places


def _without_name(text: str) -> str:
    """Remove the fence's name, however it is spelled; the two ordinary words in a sentence stay."""
    letters, places = _letters(text)
    pieces, done = [], 0
    for match in _NAME.finditer(letters):
        start, end = places[match.start()], places[match.end() - 1] + 1
        between = text[places[match.start() + 8] + 1 : places[match.end() - 7]]
        in_a_sentence = re.search(r"\s", between) and not _MARKUP_BEFORE.search(text[max(0, start - 20) : start])
        if not in_a_sentence:
            # The whole word, or what stands around a name within a name would be half of one.
            start = max(done, start - len(_last_word(text[max(0, start - 40) : start])))
            pieces += [text[done:start], _REMOVED]
            done = max(done, end + len(_WORD_REST.findall(text[end : end + 40])[0]))
    return "".join([*pieces, text[done:]])


def _last_word(text: str) -> str:
    return re.split(r"[^\w-]", text)[-1]


def defused(text: str) -> str:
    """The text, unable to close the fence around it or to open another one: brackets are ‹ and ›, its name is gone."""
    text = _CLOSING.sub("›", _OPENING.sub("‹", visible(_undo_entities(text))))
    # Most texts are short and plain: only where the name may be spelled is each letter looked at.
    if text.isascii() and "untrusted" not in _NO_LETTER.sub("", text).lower():
        return text
    return _without_name(text)
