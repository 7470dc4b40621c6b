"""Versions of help articles: which one is read, and how a new one comes to be."""

from urllib.parse import urlencode

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.urls import reverse

from agent.errors import NotFound
from agent.models import HelpArticle


def address(article: HelpArticle) -> str:
    """The path of the page that shows exactly this version, also after a newer one."""
    query = urlencode({"language": article.language, "version": article.version})
    return f"{reverse('help_article', args=[article.slug])}?{query}"


def article_of(slug: str, *, language: str, version: int | None = None) -> HelpArticle:
    """A published article: the newest version, or the one that is named.

    An article that the language does not have is shown in another one. Raises NotFound.
    """
    own = language.split("-")[0].lower()
    rows = HelpArticle.objects.filter(slug=slug, is_published=True).order_by("language", "-version")
    found = rows.filter(language=own)
    if version is not None:
        article = found.filter(version=version).first()
    else:
        article = found.first() or rows.first()
    if article is None:
        raise NotFound("There is no such help article.")
    return article


def current() -> QuerySet[HelpArticle]:
    """The newest published version of each article in each language."""
    same = HelpArticle.objects.filter(slug=OuterRef("slug"), language=OuterRef("language"), is_published=True)
    newer = Exists(same.filter(version__gt=OuterRef("version")))
    return HelpArticle.objects.filter(~newer, is_published=True).order_by("language", "slug")


def newest(article: HelpArticle) -> HelpArticle:
    """The published version that holds now; the article itself where there is none newer."""
    return _versions(article).filter(is_published=True).first() or article


def reworded(article: HelpArticle) -> bool:
    """Whether the row in hand says something else than the one in the table."""
    return not HelpArticle.objects.filter(pk=article.pk, title=article.title, body=article.body).exists()


@transaction.atomic
def publish(article: HelpArticle) -> HelpArticle:
    """Add the text of the row in hand as the next version; the row in the table stays as it was."""
    last = _versions(article).aggregate(last=Max("version"))["last"] or 0
    article.pk, article.version = None, last + 1
    article.save(force_insert=True)
    return article


def _versions(article: HelpArticle) -> QuerySet[HelpArticle]:
    rows = HelpArticle.objects.filter(slug=article.slug, language=article.language)
    return rows.order_by("-version")
