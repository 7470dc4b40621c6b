"""The help articles that answers cite, each in the version that was cited."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from agent import knowledge
from agent.errors import BadQuestion
from agent.fields import storable
from agent.views.answers import for_customers

LONGEST_NUMBER = 6


@require_safe
@for_customers
def article(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest version in the reader's language; `?version=` and `?language=` name another one."""
    named = request.GET.get("version", "")
    if named and not (named.isascii() and named.isdigit() and len(named) <= LONGEST_NUMBER):
        raise BadQuestion(_("The version is a number."))
    language = storable(request.GET.get("language", "")) or get_language() or "en"
    found = knowledge.article_of(slug, language=language[:12], version=int(named) if named else None)
    holds_now = knowledge.newest(found)
    newer = knowledge.address(holds_now) if holds_now.pk != found.pk else ""
    return render(request, "agent/help.html", {"article": found, "newer": newer})
