"""How variables are read: the forms that a value may have, and a list of what was wrong."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

ON, OFF = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}


class Reader:
    """Reads variables and collects what is wrong with them; an empty variable is an absent one."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.environ = environ
        self.problems: list[str] = []

    def text(self, name: str, default: str = "") -> str:
        return self.environ.get(name, "").strip() or default

    def flag(self, name: str, default: bool = False) -> bool:
        value = self.text(name, "1" if default else "0").lower()
        if value not in ON | OFF:
            self.problems.append(f"{name} is {value!r}: write 1 or 0.")
        return value in ON

    def number(self, name: str, default: int, *, low: int = 1, high: int) -> int:
        value = self.text(name, str(default))
        if not re.fullmatch(r"[0-9]{1,9}", value) or not low <= int(value) <= high:
            self.problems.append(f"{name} is {value!r}: write a whole number from {low} to {high}.")
            return default
        return int(value)

    def limit(self, name: str, default: int | None) -> int | None:
        """A whole number from 1 on, or none: no limit."""
        if self.text(name).lower() == "none" or (default is None and not self.text(name)):
            return None
        return self.number(name, default or 0, high=999_999_999)

    def choice(self, name: str, options: set[str], *, default: str) -> str:
        value = self.text(name, default)
        if value not in options:
            self.problems.append(f"{name} is {value!r}: write one of {', '.join(sorted(options))}.")
        return value

    def url(self, name: str, schemes: set[str], *, default: str = "") -> str:
        """A URL of one of the schemes, or the default. The value itself is never repeated: it may hold a password."""
        value = self.text(name, default)
        if not value or (_scheme(value) in schemes and _well_formed(value)):
            return value
        starts = " or ".join(f"{scheme}://" for scheme in sorted(schemes))
        self.problems.append(f"{name} is no URL that starts with {starts}.")
        return default


def _scheme(url: str) -> str:
    return url.partition("://")[0] if "://" in url else ""


def _well_formed(url: str) -> bool:
    """A port, where there is one, is a number."""
    try:
        return urlsplit(url).port != 0
    except ValueError:
        return False
