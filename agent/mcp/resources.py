"""What a person may put before their model by hand: reads that need no arguments, and help articles in a version."""

from typing import Any
from urllib.parse import urlsplit

from agent import knowledge
from agent.access import Caller
from agent.errors import NotFound
from agent.knowledge import article_of
from agent.mcp import tools
from agent.models import HelpArticle
from agent.tools import Tool
from agent.untrusted import clean_text

SCHEME = "countersign"
HELP_TEMPLATE = f"{SCHEME}://help/{{language}}/{{slug}}/{{version}}"
ARTICLE_CHARS = 50_000

Resource = dict[str, Any]  # in the protocol's form


def listed(caller: Caller) -> list[Resource]:
    """The reads of this caller that need nothing to be said, then the articles in every language."""
    reads = [_read(tool) for tool in tools.offered_to(caller) if _needs_nothing(tool)]
    return reads + [_article(article) for article in knowledge.current()]


def templates() -> list[Resource]:
    """Any version of an article, also one that a newer one has followed."""
    return [
        {
            "uriTemplate": HELP_TEMPLATE,
            "name": "help_article",
            "title": "Help article",
            "description": "A help article of the shop in one of its versions, as it was cited.",
            "mimeType": "text/markdown",
        }
    ]


def read(caller: Caller, uri: str) -> Resource:
    """What is at the address. A read is a call like any other, with its row. Raises NotFound."""
    parts = urlsplit(uri)
    path = parts.path.strip("/").split("/")
    if parts.scheme == SCHEME and parts.netloc == "tools" and len(path) == 1:
        return {"uri": uri, "mimeType": "application/json", "text": _result(caller, path[0])}
    if parts.scheme == SCHEME and parts.netloc == "help" and len(path) == 3 and path[2].isascii():
        return {"uri": uri, "mimeType": "text/markdown", "text": _text(*path)}
    raise NotFound("There is no such resource.")


def _needs_nothing(tool: Tool) -> bool:
    return not tool.writes and not tool.schema["required"]


def _read(tool: Tool) -> Resource:
    return {
        "uri": f"{SCHEME}://tools/{tool.name}",
        "name": tool.name,
        "title": str(tool.title or tool.name),
        "description": tool.description,
        "mimeType": "application/json",
    }


def _article(article: HelpArticle) -> Resource:
    return {
        "uri": HELP_TEMPLATE.format(language=article.language, slug=article.slug, version=article.version),
        "name": f"{article.slug}-{article.language}",
        "title": clean_text(article.title, 200),
        "description": f"Help article, version {article.version}, language {article.language}.",
        "mimeType": "text/markdown",
    }


def _result(caller: Caller, name: str) -> str:
    fits = [tool for tool in tools.offered_to(caller) if tool.name == name and _needs_nothing(tool)]
    if not fits:
        raise NotFound("There is no such resource.")
    return tools.call(caller, name, {}).text


def _text(language: str, slug: str, version: str) -> str:
    if not version.isdigit() or len(version) > 9:
        raise NotFound("There is no such help article.")
    article = article_of(slug, language=language, version=int(version))
    title = clean_text(article.title, 200)
    return f"# {title}\n\n{clean_text(article.body, ARTICLE_CHARS)}\n\nVersion {article.version}"
