"""What templates need to speak: Markdown, times, states, icons."""

from datetime import date, datetime
from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from agent import markdown as _markdown
from agent.conf import setting
from agent.untrusted import visible_line

register = template.Library()

# Drawn on a grid of 20; strokes only, so that they take the colour and the weight of the text.
ICONS = {
    "check": "M4 10.5l4 4 8-9",
    "clock": "M10 3a7 7 0 100 14 7 7 0 000-14zM10 6v4l2.5 2.5",
    "alert": "M10 3l7.5 13.5h-15zM10 8v4M10 14.2v.1",
    "cross": "M5 5l10 10M15 5L5 15",
    "info": "M10 3a7 7 0 100 14 7 7 0 000-14zM10 9v5M10 6.2v.1",
    "pen": "M4 16l1-4 8-8 3 3-8 8zM11 6l3 3",
    "person": "M10 4a3 3 0 100 6 3 3 0 000-6zM4 17c.6-3.4 3-5 6-5s5.4 1.6 6 5",
    "send": "M4 10h11M11 5l5 5-5 5",
    "stop": "M6 6h8v8H6z",
    "fold": "M8 5l5 5-5 5",
    "down": "M10 4v11M5 10.5l5 5 5-5",
    "replace": "M4 8h10l-3-3M16 12H6l3 3",
    "off": "M10 3v7M6 5.5a6.5 6.5 0 108 0",
    "sun": "M10 7a3 3 0 100 6 3 3 0 000-6zM10 2v2M10 16v2M2 10h2M16 10h2"
    "M4.5 4.5l1.3 1.3M14.2 14.2l1.3 1.3M4.5 15.5l1.3-1.3M14.2 5.8l1.3-1.3",
    "moon": "M15.5 12.5A6.5 6.5 0 017.5 4.5a6.5 6.5 0 108 8z",
    "auto": "M3 4h14v9H3zM10 13v3M7 16.5h6",
}  # fmt: skip

_WAITING, _GOOD, _BAD, _CARE, _QUIET = "tone-warn", "tone-positive", "tone-danger", "tone-warn", "tone-muted"
# state or outcome -> its icon and its tone; the word always stands beside them
STATES = {
    "pending": ("pen", _WAITING), "executed": ("check", _GOOD), "rejected": ("cross", _QUIET),
    "expired": ("clock", _QUIET), "superseded": ("replace", _QUIET), "failed": ("alert", _BAD),
    "executing": ("clock", _WAITING), "unknown": ("clock", _WAITING),
    "awaiting_staff": ("person", _WAITING),
    "switched_off": ("off", _CARE), "changed": ("replace", _CARE),
    "queued": ("clock", _QUIET), "running": ("clock", _WAITING), "done": ("check", _GOOD),
    "stopped": ("stop", _QUIET), "out_of_budget": ("alert", _CARE),
    "started": ("clock", _QUIET), "ok": ("check", _GOOD), "proposed": ("pen", _GOOD), "refused": ("cross", _CARE),
    "invalid": ("alert", _CARE), "unknown_tool": ("alert", _BAD), "error": ("alert", _BAD),
    "open": ("person", _WAITING), "closed": ("check", _QUIET),
}  # fmt: skip
# What has become of an act, before its name: the title and the heading of its page.
HEADED = {
    "pending": gettext_lazy("For your confirmation: %(title)s"), "executed": gettext_lazy("Done: %(title)s"),
    "rejected": gettext_lazy("Declined: %(title)s"), "expired": gettext_lazy("Expired: %(title)s"),
    "superseded": gettext_lazy("Replaced: %(title)s"), "failed": gettext_lazy("Not done: %(title)s"),
    "unlike": gettext_lazy("Not done as confirmed: %(title)s"), "executing": gettext_lazy("Under way: %(title)s"),
    "unknown": gettext_lazy("Being checked: %(title)s"),
    "awaiting_staff": gettext_lazy("Waiting for staff: %(title)s"),
}  # fmt: skip


@register.filter
def markdown(text: str) -> SafeString:
    """An answer of the model as safe HTML."""
    return _markdown.render(text)


@register.filter
def whole(text: str) -> SafeString:
    """Plain text whose numbers, such as DZ-10423, are not torn in two at the end of a line."""
    return mark_safe(  # noqa: S308 - escaped first, and what matches holds nothing to escape
        _markdown.NUMBER.sub(lambda found: f'<span class="whole">{found.group()}</span>', escape(text))
    )


@register.filter
def plain(text: str) -> str:
    """One line of text, without what nobody sees or what turns text round."""
    return visible_line(text)


@register.simple_tag
def icon(name: str) -> SafeString:
    """A small drawing that screen readers pass over."""
    return mark_safe(  # noqa: S308 - from the table above
        f'<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false"><path d="{ICONS[name]}"/></svg>'
    )


@register.simple_tag
def state(name: str, words: str) -> SafeString:
    """A state as icon and word."""
    drawing, tone = STATES.get(name, ("info", _QUIET))
    return format_html('<span class="state {}">{} {}</span>', tone, icon(drawing), words)


@register.simple_tag
def headed(action: Any, title: str) -> str:
    """The name of an act, after the state that it is in."""
    # A failure outside may leave other things done that were confirmed with it.
    state = "unlike" if action.state == "failed" and action.result is not None else action.state
    return str(HEADED[state]) % {"title": title}


@register.filter
def tone(name: str) -> str:
    """The class that colours a state."""
    return STATES.get(name, ("info", _QUIET))[1]


@register.simple_tag
def state_icon(name: str) -> SafeString:
    """The drawing of a state alone, where its word stands elsewhere."""
    return icon(STATES.get(name, ("info", _QUIET))[0])


@register.filter
def moment(when: datetime | None) -> SafeString | str:
    """A `<time>` with the clock time, and the day unless it is today."""
    if when is None:
        return ""
    local = timezone.localtime(when)
    words = date_format(local, "H:i")
    if local.date() != timezone.localdate():
        # Translators: a day in Django's date format, such as 30 Nov 2026
        words = date_format(local, _("j M Y")) + f", {words}"
    return format_html('<time datetime="{}">{}</time>', local.isoformat(timespec="seconds"), words)


@register.filter
def day(when: date | datetime) -> SafeString:
    """A `<time>` with the day alone."""
    if isinstance(when, datetime):
        when = timezone.localtime(when).date()
    return format_html('<time datetime="{}">{}</time>', when.isoformat(), date_format(when, _("j M Y")))


@register.filter
def full_moment(when: datetime | None) -> SafeString | str:
    """A `<time>` with day, clock time and time zone: for what somebody keeps."""
    if when is None:
        return ""
    local = timezone.localtime(when)
    # Translators: a day in Django's date format, such as 30 November 2026
    words = date_format(local, _("j F Y")) + f", {date_format(local, 'H:i')} {local.tzname()}"
    return format_html('<time datetime="{}">{}</time>', local.isoformat(timespec="seconds"), words)


@register.filter
def seconds(milliseconds: int | None) -> str:
    """A duration for reading: 0.2 s."""
    if milliseconds is None:
        return "–"
    tenths = round(milliseconds / 100)
    return _("%(whole)d.%(tenth)d s") % {"whole": tenths // 10, "tenth": tenths % 10}


@register.simple_tag
def shop_name() -> str:
    """What the shop calls itself."""
    return str(setting("SHOP_NAME"))


@register.simple_tag
def agent_setting(name: str) -> Any:
    """One of the agent's settings for a page, such as the longest question."""
    return setting(name)


@register.simple_tag
def host_card(template_name: str, context: dict[str, Any]) -> SafeString:
    """A card that the host's tool made: its own template, filled with its own facts."""
    return render_to_string(template_name, context)


@register.filter
def masked(user: Any) -> str:
    """Which account this is, for whoever knows it, and for nobody who looks over a shoulder."""
    name = user.get_username()
    return f"{name[:2]}…{name[-1]}" if len(name) > 4 else f"{name[:1]}…"
