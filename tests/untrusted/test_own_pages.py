"""SECURITY 22: pages by another way of thinking than the corpus's: nothing hidden is left, nothing visible lost."""

import re

import pytest

from agent.untrusted import page_to_untrusted_text
from tests.untrusted.own_pages import HIDDEN, POLICY, SHOWN


def words(page: str) -> str:
    fenced = page_to_untrusted_text(page, "https://shop.example/help")
    match = re.fullmatch(
        r'<untrusted_content id="(\w{16})" source="https://shop\.example">\n(.*)\n</untrusted_content id="\1">',
        fenced,
        re.DOTALL,
    )
    assert match
    assert not re.search("[<>]", match.group(2))
    return match.group(2)


def shown_in(page: str) -> int:
    return page.count("SHOWN")


@pytest.mark.parametrize("page", [*HIDDEN.values(), *POLICY.values()], ids=[*HIDDEN, *POLICY])
def test_what_nobody_sees_is_gone_and_the_rest_is_there(page: str) -> None:
    found = words(page)
    assert (found.count("SECRET"), found.count("SHOWN")) == (0, shown_in(page))


@pytest.mark.parametrize("page", SHOWN.values(), ids=SHOWN)
def test_what_a_person_sees_is_kept(page: str) -> None:
    assert words(page).count("SHOWN") == shown_in(page)


def test_there_are_enough_of_them() -> None:
    assert len(HIDDEN) + len(SHOWN) + len(POLICY) >= 100
