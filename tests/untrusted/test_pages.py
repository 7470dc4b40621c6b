"""Pages of our own: what a browser hides is gone, what it shows is there."""

import pytest

from agent.untrusted import page_to_untrusted_text

ADDRESS = "https://shop.example/help"


def read(page: str | bytes, content_type: str | None = None) -> str:
    fenced = page_to_untrusted_text(page, ADDRESS, content_type)
    return fenced.partition("\n")[2].rpartition("\n")[0]


HIDDEN = {
    "display in a nested rule": "<style>.a{& .b{display:none}}</style><div class=a><p class=b>SECRET</p></div>",
    "display in a layer": "<style>@layer x{p.b{display:none}}</style><p class=b>SECRET</p>",
    "a rule in an HTML comment": "<style><!-- p.b{display:none} --></style><p class=b>SECRET</p>",
    "a comment sign in a string": (
        "<style>a::after{content:'/*'} p.b{display:none} b::after{content:'*/'}</style><p class=b>SECRET</p>"
    ),
    "a rule left open at the end": "<style>p.b{display:none</style><p class=b>SECRET</p>",
    "an important rule against an inline style": (
        "<style>p.b{display:none!important}</style><p class=b style='display:block'>SECRET</p>"
    ),
    "a sheet in a data address": (
        "<link rel=stylesheet href='data:text/css,p.b%7Bdisplay:none%7D'><p class=b>SECRET</p>"
    ),
    "a sheet in base64": (
        "<link rel=stylesheet href='data:text/css;base64,cC5ie2Rpc3BsYXk6bm9uZX0='><p class=b>SECRET</p>"
    ),
    "an imported sheet": "<style>@import 'data:text/css,p.b{display:none}';</style><p class=b>SECRET</p>",
    "an inherited variable": "<style>:root{--d:none}</style><p style='display:var(--d)'>SECRET</p>",
    "a variable's fallback": "<p style='display:var(--x,none)'>SECRET</p>",
    "the colour of the ground above": "<div style='background:#123456'><p style='color:#123457'>SECRET</p></div>",
    "white on the page's own white": "<p style='color:white'>SECRET</p>",
    "a colour in hsl": "<p style='color:hsl(0 0% 100%)'>SECRET</p>",
    "old attributes": "<table bgcolor=navy><tr><td><font color='#000080'>SECRET</font></table>",
    "opacity times opacity": "<div style='opacity:.3'><p style='opacity:.3'>SECRET</p></div>",
    "a size in steps": "<div style='font-size:10%'><p style='font-size:50%'>SECRET</p></div>",
    "the font shorthand": "<p style='font:0/0 a'>SECRET</p>",
    "a calculated place": "<p style='position:absolute;left:calc(-1 * 9999px)'>SECRET</p>",
    "an inset shorthand": "<p style='position:fixed;inset:auto auto auto -9999px'>SECRET</p>",
    "an indent": "<p style='text-indent:-999em'>SECRET</p>",
    "a translation": "<p style='transform:translate(-9999px,0)'>SECRET</p>",
    "a scale of its own": "<p style='scale:0'>SECRET</p>",
    "one pixel": "<p style='position:absolute;width:1px;height:1px;overflow:hidden'>SECRET</p>",
    "a mobile rule that holds here": "<style>@media (max-width:4000px){p.b{display:none}}</style><p class=b>SECRET</p>",
    "hidden until found": "<p hidden=until-found>SECRET</p>",
    "a brace too many": "<style>p.b{display:none}}} p.b{display:block}</style><p class=b>SECRET</p>",
    "a selector that no browser knows": (
        "<style>p.b{display:none} p.b,p:nonsense(1){display:block}</style><p class=b>SECRET</p>"
    ),
    "a value that is none": "<p style='display:none;display:nothing'>SECRET</p>",
    "a colour that is none": "<p style='color:white;color:whitish'>SECRET</p>",
    "a length that is none": "<p style='position:absolute;left:-9999px;left:five'>SECRET</p>",
    "a size that is none": "<p style='font-size:0;font-size:biggest'>SECRET</p>",
    "a popover": "<div popover>SECRET</div>",
    "closed details": "<details><summary>Shown</summary>SECRET<p>SECRET</p></details>",
    "a second summary": "<details><summary>Shown</summary><summary>SECRET</summary></details>",
    "a select": "<select><option>SECRET</select>",
    "a class by its name": "<link rel=stylesheet href=/site.css><p class='sr-only'>SECRET</p>",
    "aria-hidden in capitals": "<p aria-hidden=TRUE>SECRET</p>",
    "a comment never closed": "<p>Shown</p><!-- SECRET",
    "an attribute": "<p title=SECRET data-x=SECRET>Shown</p><img alt=SECRET>",
}


@pytest.mark.parametrize("page", HIDDEN.values(), ids=HIDDEN)
def test_hidden_text_is_gone(page: str) -> None:
    text = read(f"<!doctype html><title>Title</title><p>First.</p>{page}<p>Last.</p>")
    assert "SECRET" not in text
    assert text.startswith("First.")


SHOWN = {
    "a rule that a later one undoes": "<style>.a{display:none}.a{display:block}</style><p class=a>SHOWN</p>",
    "hidden undone by the author": "<style>p{display:block}</style><p hidden>SHOWN</p>",
    "a stronger selector": "<style>#a{display:block}.a{display:none}</style><p id=a class=a>SHOWN</p>",
    "visible inside invisible": "<div style='visibility:hidden'><p style='visibility:visible'>SHOWN</p></div>",
    "hidden in print": "<style media=print>p{display:none}</style><p>SHOWN</p>",
    "hidden on a telephone": "<style>@media (max-width:600px){p{display:none}}</style><p>SHOWN</p>",
    "hidden in the dark": "<style>@media (prefers-color-scheme:dark){p{display:none}}</style><p>SHOWN</p>",
    "hidden under the pointer": "<style>p:hover{display:none}</style><p>SHOWN</p>",
    "a sheet that is not in use": (
        "<link rel='alternate stylesheet' href='data:text/css,p{display:none}'><p>SHOWN</p>"
    ),
    "white on a dark ground": "<div style='background:#111'><p style='color:#fff'>SHOWN</p></div>",
    "white on a picture": "<div style='background:url(x.png)'><p style='color:#fff'>SHOWN</p></div>",
    "a link in a white text": "<div style='color:white'><a href=/>SHOWN</a></div>",
    "centred by half": "<p style='position:relative;left:-50%'>SHOWN</p>",
    "open details": "<details open><summary>More</summary>SHOWN</details>",
    "a summary": "<details><summary>SHOWN</summary>SECRET</details>",
    "an open dialog": "<dialog open>SHOWN</dialog>",
    "after an unclosed hidden paragraph": "<p hidden>SECRET<p>SHOWN",
    "after an unclosed hidden item": "<ul><li hidden>SECRET<li>SHOWN</ul>",
    "out of a hidden table": "<table hidden><div>SHOWN</div></table>",
    "a rule that nobody finishes": "<style>p{display:block}q{display:none</style><p>SHOWN</p>",
    "a value that is none": "<p style='display:block;display:nothing'>SHOWN</p>",
    "with a selector that nobody knows": "<style>p:unknown(1),x{display:none}</style><p>SHOWN</p>",
}


@pytest.mark.parametrize("page", SHOWN.values(), ids=SHOWN)
def test_visible_text_is_kept(page: str) -> None:
    text = read(f"<!doctype html><body>{page}")
    assert "SHOWN" in text
    assert "SECRET" not in text


def test_words_are_laid_out_as_read() -> None:
    page = (
        "<h1>Returns</h1><p>Within <b>thirty</b>\n days.<br>Free.</p><ul><li>One<li>Two</ul>"
        "<table><tr><td>Size<td>M<tr><td>Price<td>20 €</table><pre>a\n  b</pre>"
    )
    assert read(page) == "Returns\nWithin thirty days.\nFree.\nOne\nTwo\nSize | M\nPrice | 20 €\na\nb"


def test_no_blank_comes_into_a_word() -> None:
    assert read("<p>un<b></b>trust<i hidden>x</i>ed_<span>content</span></p>") == "[removed]"


@pytest.mark.parametrize(
    ("page", "content_type", "text"),
    [
        (b"<p>caf\xe9", "text/html; charset=ISO-8859-1", "café"),
        ("<p>café".encode(), None, "café"),
        (b"<meta charset=windows-1252><p>\x80 5", None, "€ 5"),
        ("\ufeff<p>café".encode("utf-16-le"), "text/html; charset=utf-8", "café"),
        (b"<meta charset=utf-16><p>caf\xc3\xa9", None, "café"),
        (b"<p>a +ADw-b+AD4-", "text/html; charset=utf-7", "a +ADw-b+AD4-"),
        (rb"<p>\x41", "text/html; charset=unicode_escape", r"\x41"),
        (b"<p>caf\xc3\xa9 \xff", "text/html; charset=idna", "café \ufffd"),
        (b"", None, ""),
    ],
)
def test_bytes_are_read_as_a_browser_reads_them(page: bytes, content_type: str | None, text: str) -> None:
    assert read(page, content_type) == text


def test_only_the_head_of_a_huge_page_is_read() -> None:
    text = read("<p>Start.</p>" + "<p>More of it.</p>" * 100_000)
    assert text.startswith("Start.\nMore of it.")
    assert text.endswith("[The text goes on; it was cut here.]")
    assert len(text) <= 8000


def test_a_run_that_nobody_sees_whole_hides_nothing_behind_it() -> None:
    assert read(f"<p>Start.</p><div hidden>{'SECRET ' * 400_000}</div><p>End.</p>") == "Start.\nEnd."
