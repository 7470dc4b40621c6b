"""Pages that hide in other ways than the corpus does. SECRET is what nobody sees, SHOWN what a person does.

What a browser makes of each was looked up in the standards (CSS, MathML Core, HTML's chapter on
rendering); tests/browser/test_own_pages.py lets a browser be the judge.
"""
# ruff: noqa: E501 - a page a line

X = "<p class=x>SECRET</p><p>SHOWN</p>"


def _css(rules: str, body: str = X) -> str:
    return f"<!doctype html><style>{rules}</style>{body}"


def _inline(style: str, text: str = "SECRET") -> str:
    return f'<!doctype html><p>SHOWN</p><p style="{style}">{text}</p>'


HIDDEN = {
    # selectors
    "any of several": _css(":is(.a, .x){visibility:hidden}"),
    "without weight": _css(":where(.x){display:none}"),
    "an attribute in any case": _css("[data-k='AbC' i]{display:none}", "<p data-k=aBc>SECRET</p><p>SHOWN"),
    "the beginning of a class": _css("[class^=h-]{display:none}", "<p class='h-1 x'>SECRET</p><p>SHOWN"),
    "what is inside": _css("p:has(> b.y){display:none}", "<p>SECRET<b class=y></b></p><p>SHOWN"),
    "after something empty": _css("i:empty + p{display:none}", "<i></i><p>SECRET</p><p>SHOWN"),
    "the last of its kind": _css("p:last-of-type{display:none}", "<p>SHOWN</p><p>SECRET</p><b>SHOWN</b>"),
    "counted among some": _css("p:nth-child(1 of .y){display:none}", "<p>SHOWN</p><p class=y>SECRET</p>"),
    "what cannot be written in": _css(".x:read-only{display:none}"),
    "what is defined": _css(".x:defined{display:none}"),
    "a language": _css(".x:lang(en){display:none}", "<div lang=en><p class=x>SECRET</p></div><p>SHOWN"),
    "a direction": _css(".x:dir(ltr){display:none}"),
    "a link": _css("a:any-link{display:none}", "<a href=/>SECRET</a><p>SHOWN"),
    "an unvisited link": _css("a:link{display:none}", "<a href=/>SECRET</a><p>SHOWN"),
    "an old name for any": _css(":-webkit-any(.x){display:none}"),
    "after a box that is ticked": _css(":checked + p{display:none}", "<input type=checkbox checked><p>SECRET</p><p>SHOWN"),
    "after a box that is not": _css("input:not(:checked) + p{display:none}", "<input type=checkbox><p>SECRET</p><p>SHOWN"),
    "a name in other letters, in quirks mode": "<style>.HIDE{display:none}</style><p class=hide>SECRET</p><p>SHOWN",
    "an escaped name": _css(r".\78{display:none}"),
    "a comment in the selector": _css("p/* */.x{display:none}"),
    "an enabled field's neighbour": _css("input:enabled + p{display:none}", "<input><p>SECRET</p><p>SHOWN"),
    # conditions
    "a range of widths": _css("@media (width > 300px){.x{display:none}}"),
    "a range from both sides": _css("@media (300px <= width <= 9000px){.x{display:none}}"),
    "not in print": _css("@media not print{.x{display:none}}"),
    "without a feature that nobody has": _css("@supports not (nonsense:1){.x{display:none}}"),
    "undone under a feature that nobody has": _css(".x{display:none} @supports (nonsense:1){.x{display:block}}"),
    "undone under a condition that nobody knows": _css(".x{display:none} @media (nonsense:1){.x{display:block}}"),
    "undone in a container that is too small": _css(".x{display:none} @container (width > 90000px){.x{display:block}}"),
    "undone when it is first drawn": _css(".x{display:none} @starting-style{.x{display:block}}"),
    "undone elsewhere": _css(".x{display:none} @scope (.never){.x{display:block}}"),
    "in its scope": _css("@scope (main){.x{display:none}}", "<main><p class=x>SECRET</p></main><p class=x>SHOWN"),
    "the scope itself": _css("@scope (.x){:scope{display:none}}"),
    # the cascade
    "a later layer": _css("@layer a, b; @layer b{.x{display:none}} @layer a{.x{display:block}}"),
    "no layer before any layer": _css(".x{display:none} @layer a{.x{display:block}}"),
    "an important layer before no layer": _css("@layer a{.x{display:none!important}} .x{display:block!important}"),
    "a drawing's sheet": "<!doctype html><svg><style>.x{display:none}</style></svg>" + X,
    "a sheet in a sheet": _css("@import url('data:text/css,@import%20%22data:text/css,.x%257Bdisplay:none%257D%22;');"),
    "an animation that stays at its end": _css("@keyframes k{to{opacity:0}} .x{animation:k 1ms forwards}"),
    "everything back to nothing": _css(".x{display:none;all:unset;display:none}"),
    "nonsense after what hides": _inline(
        "contain:strict;contain:x;rotate:y 90deg;rotate:x;content:url(a);content:b;display:none;display:c"
    ),
    # a second round: twenty of seventy more leaked before they were mended for
    "an animation that stands still": _css("@keyframes k{from{opacity:0}to{opacity:1}} .x{animation:k 1s paused}"),
    "an animation that waits": _css("@keyframes k{from{opacity:0}to{opacity:1}} .x{animation:k 1s 9999s both}"),
    "an animation of nothing": _css("@keyframes k{from,to{opacity:0}} .x{animation:k 1s infinite}"),
    "a surrounding that is not there": _inline("display:env(nope, none)"),
    "a condition without conditions": _inline("display:if(else: none)"),
    "a variable that is registered": _css("@property --d{syntax:'*';inherits:false;initial-value:none} .x{display:var(--d)}"),
    "both sides in one": _inline("position:absolute;inset-inline:-9999px auto"),
    "fixed below the screen": _inline("position:fixed;top:100vh"),
    "fixed beside the screen": _inline("position:fixed;left:100%"),
    "a polygon without an area": _inline("clip-path:polygon(0 0, 100% 0, 0 0)"),
    "a path to nowhere": _inline("clip-path:path('M0 0')"),
    "a mask of no size": _inline("mask-image:linear-gradient(#000,#000);mask-size:0 0;mask-repeat:no-repeat"),
    "skewed flat": _inline("transform:skewX(90deg)"),
    "too bright": "<!doctype html><p>SHOWN</p><div style='background:#fff'><p style='color:#888;filter:brightness(20)'>SECRET</p></div>",
    "without contrast": _inline("filter:contrast(0) brightness(10)"),
    "white before a picture that never comes": (
        "<!doctype html><p>SHOWN</p><div style='background:#fff url()'><p style='color:#fff'>SECRET</p></div>"
    ),
    "a gradient from black to black": _inline("background:linear-gradient(#000,#000);color:#000"),
    # boxes
    "a column of a table": _inline("display:table-column"),
    "lines of no height": _inline("line-height:0;overflow:hidden"),
    "an indent of its whole width": _inline("text-indent:100%;white-space:nowrap;overflow:hidden"),
    "a box of no size of its own": _inline("contain:strict"),
    "no height that clips": _inline("block-size:0;overflow:clip"),
    "far to the left by its padding": _inline("padding-left:9999px"),
    "replaced by a picture": _inline("content:url(data:image/gif;base64,R0lGODlhAQABAAAAACw=)"),
    "clipped to a rectangle": _inline("clip-path:rect(0 0 0 0)"),
    "clipped to a place": _inline("clip-path:xywh(0 0 0 0)"),
    "masked": _inline("mask:linear-gradient(transparent,transparent)"),
    "masked by the old name": _inline("-webkit-mask-image:linear-gradient(#0000,#0000)"),
    # transforms
    "seen from behind": _inline("transform:rotateY(180deg);backface-visibility:hidden"),
    "on its edge": _inline("rotate:y 90deg"),
    "on its edge in space": _inline("transform:rotate3d(0,1,0,90deg)"),
    "a matrix of nothing": _inline("transform:matrix(0,0,0,0,0,0)"),
    "pushed out in space": _inline("transform:translate3d(-9999px,0,0)"),
    "pushed out by a matrix": _inline("transform:matrix(1,0,0,1,-9999,0)"),
    "one per cent of itself": _inline("zoom:1%"),
    # looks
    "inverted": _inline("filter:invert(1)"),
    "mixed into the ground": (
        "<!doctype html><p>SHOWN</p><div style='background:#fff'><p style='mix-blend-mode:screen'>SECRET</p></div>"
    ),
    "dots for letters": _inline("-webkit-text-security:disc"),
    "a minimum of nothing": _inline("font-size:min(0px, 1em)"),
    "a product of nothing": _inline("opacity:calc(0 * 1)"),
    "the colour of the canvas": _inline("color:canvas"),
    "whiteness": _inline("color:hwb(0 100% 0)"),
    "lightness": _inline("color:lab(100 0 0)"),
    "lightness as it is felt": _inline("color:oklch(1 0 0)"),
    "a colour by its space": _inline("color:color(srgb 1 1 1)"),
    "a mix of white and white": _inline("color:color-mix(in srgb, white, #fff)"),
    "the light one of two": _inline("color:light-dark(white, black)"),
    "a ground of its own colour": _inline("background-color:currentcolor"),
    "black on a black page": "<!doctype html><style>body{background:#000} b{color:#fff}</style><b>SHOWN</b><p>SECRET",
    "black on a black canvas": "<!doctype html><style>html{background:#000} b{color:#fff}</style><b>SHOWN</b><p>SECRET",
    "white through the letters": _inline("background:white;-webkit-background-clip:text;color:transparent"),
    "a white shadow": _inline("color:transparent;text-shadow:0 0 0 white"),
    # elements
    "inside a bar": "<!doctype html><p>SHOWN</p><progress value=1>SECRET</progress><meter>SECRET</meter>",
    "a phantom": "<!doctype html><p>SHOWN</p><math><mphantom><mtext>SECRET</mtext></mphantom></math>",
    "the second of an action": "<!doctype html><math><maction><mtext>SHOWN</mtext><mtext>SECRET</mtext></maction></math>",
    "another meaning": "<!doctype html><math><semantics><mtext>SHOWN</mtext><mtext>SECRET</mtext></semantics></math>",
    "a place that is not in the shadow": (
        "<!doctype html><div><template shadowrootmode=open><slot name=a></slot></template>"
        "<p slot=a>SHOWN</p><p>SECRET</p>SECRET</div>"
    ),
    "a hidden place in the shadow": (
        "<!doctype html><p>SHOWN</p><div><template shadowrootmode=open><div hidden><slot></slot></div></template>SECRET</div>"
    ),
    "opened by a sheet alone": _css(
        "details > p{display:block!important}", "<details><summary>SHOWN</summary><p>SECRET</p></details>"
    ),
    "a table's row": "<!doctype html><table><tr hidden><td>SECRET<tr><td>SHOWN</table>",
    "CDATA": "<!doctype html><p>SHOWN</p><![CDATA[SECRET]]>",
}  # fmt: skip

SHOWN = {
    "through the letters": _inline("background:linear-gradient(red,blue);background-clip:text;color:transparent", "SHOWN"),
    "a shadow alone": _inline("color:transparent;text-shadow:0 0 0 #000", "SHOWN"),
    "a dialog that the sheet opens": "<!doctype html><style>dialog{display:block}</style><dialog>SHOWN</dialog>",
    "in a map": "<!doctype html><map name=m><p>SHOWN</p></map>",
    "a sheet of another kind": "<!doctype html><style type=text/less>p{display:none}</style><p>SHOWN",
    "a sheet that is off": "<!doctype html><link rel=stylesheet disabled href='data:text/css,p{display:none}'><p>SHOWN",
    "a sheet in a template": "<!doctype html><template><style>p{display:none}</style></template><p>SHOWN",
    "out of its scope": _css("@scope (.never){p{display:none}}", "<p>SHOWN"),
    "when it is first drawn": _css("@starting-style{p{opacity:0}}", "<p>SHOWN"),
    "an animation from nothing": _css("@keyframes k{from{opacity:0}to{opacity:1}} p{animation:k 1s forwards}", "<p>SHOWN"),
    "an animation that is over": _css("@keyframes k{to{opacity:0}} p{animation:k 1s}", "<p>SHOWN"),
    "without a feature that all have": _css("@supports not (display:grid){p{display:none}}", "<p>SHOWN"),
    "a range that is too wide": _css("@media (width > 90000px){p{display:none}}", "<p>SHOWN"),
    "a layer below": _css("p{display:block} @layer a{p{display:none}}", "<p>SHOWN"),
    "a later layer": _css("@layer a{p{display:none}} @layer b{p{display:block}}", "<p>SHOWN"),
    "a box that is not ticked": _css(":checked + p{display:none}", "<input type=checkbox><p>SHOWN"),
    "a name in other letters": "<!doctype html><style>.HIDE{display:none}</style><p class=hide>SHOWN",
    "a place in the shadow": "<!doctype html><div><template shadowrootmode=open><slot></slot></template><p>SHOWN</div>",
    "white on a black page": "<!doctype html><style>body{background:#000;color:#fff}</style><p>SHOWN",
    "a filter that dims": _inline("filter:brightness(.8) blur(0)", "SHOWN"),
    "a mask with a gradient": _inline("mask:linear-gradient(black,transparent)", "SHOWN"),
    "turned once": _inline("transform:rotateY(360deg) rotate(10deg) matrix(1,0,0,1,10,0)", "SHOWN"),
    "an indent of a line": _inline("text-indent:2em", "SHOWN"),
    "contained": _inline("contain:layout paint", "SHOWN"),
    "a blend that keeps it": _inline("mix-blend-mode:multiply", "SHOWN"),
    "a sheet for paper": "<!doctype html><style>@import url('data:text/css,p%7Bdisplay:none%7D') print;</style><p>SHOWN",
    "an animation that waits and shows": _css("@keyframes k{from{opacity:0}to{opacity:1}} p{animation:k 1s 9999s}", "<p>SHOWN"),
    "a gradient of two": _inline("background:linear-gradient(#fff,#000);color:#00f", "SHOWN"),
    "fixed on the screen": _inline("position:fixed;top:50vh;left:50%", "SHOWN"),
    "a polygon with an area": _inline("clip-path:polygon(0 0, 100% 0, 100% 100%, 0 100%)", "SHOWN"),
    "a picture beside it": "<!doctype html><style>p::before{content:url(x.png)}</style><p>SHOWN",
}  # fmt: skip

# Where either answer could be defended: docs/untrusted-text.md says which is ours.
POLICY = {
    "fields and what is in them": "<p>SHOWN</p><input value=SECRET><textarea>SECRET</textarea><select><option>SECRET</select>",
    "a datalist": "<p>SHOWN</p><input list=l><datalist id=l><option>SECRET</datalist>",
    "a button's own words": "<button>SHOWN</button>",
    "noscript": "<p>SHOWN</p><noscript>SECRET</noscript>",
    "when media fail": "<p>SHOWN</p><object>SECRET</object><video>SECRET</video><audio>SECRET</audio><img alt=SECRET>",
    "drawings": "<p>SHOWN</p><svg><text>SECRET</text></svg><canvas>SECRET</canvas>",
    "ruby's brackets": "<ruby>SHOWN<rp>SECRET</rp></ruby>",
    "aria-hidden": "<p>SHOWN</p><p aria-hidden=true>SECRET</p>",
    "details": "<details><summary>SHOWN</summary>SECRET</details>",
    "text made by CSS": "<style>p::after{content:'SECRET'}</style><p>SHOWN</p>",
    "an element that nobody knows any more": "<applet>SHOWN</applet>",
    "a title": "<title>SECRET</title><p title=SECRET>SHOWN</p>",
    "blurred": "<p>SHOWN</p><p style='filter:blur(40px)'>SECRET</p>",
    "three pixels": "<p>SHOWN</p><p style='font-size:3px'>SECRET</p>",
}  # fmt: skip
