"""The shop's help articles: kept in versions, searched by the database, cited by title and version."""

from agent.knowledge.articles import address, article_of, current, newest, publish, reworded
from agent.knowledge.files import HelpFileError, Loaded, load_folder
from agent.knowledge.passages import passage
from agent.knowledge.searching import search

__all__ = [
    "HelpFileError",
    "Loaded",
    "address",
    "article_of",
    "current",
    "load_folder",
    "newest",
    "passage",
    "publish",
    "reworded",
    "search",
]
