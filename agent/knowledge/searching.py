"""Full-text search in the database in use, behind one function.

Both databases find a word itself and longer words that begin like it, and rank any match in a title above all in
bodies. They differ in this: PostgreSQL reduces words to their stems by the article's language and knows its silent
words; SQLite (FTS5) reduces English endings only and folds accents, so German forms are found by their beginning
alone (Erstattung for erstatten, not Rückgaben for zurückgegeben).
"""

from django.db import connection

from agent.knowledge.words import asked_for, beginning_of
from agent.models import HelpArticle

LIMIT = 3

# An article that a newer published version of itself has taken the place of is not found.
_CURRENT = """
    a.language = %(language)s AND a.is_published AND NOT EXISTS (
        SELECT 1 FROM agent_helparticle n
        WHERE n.slug = a.slug AND n.language = a.language AND n.is_published AND n.version > a.version
    )
"""
_POSTGRESQL = f"""
    SELECT a.id FROM agent_helparticle a, to_tsquery(agent_help_config(%(language)s), %(words)s) q
    WHERE a.search @@ q AND {_CURRENT}
    ORDER BY ts_rank('{{0.001, 0.001, 0.001, 1.0}}', a.search, q) DESC, a.slug LIMIT %(limit)s
"""  # noqa: S608 - nothing from outside: the values are parameters
# bm25 alone lets many matches in a body outweigh one in a title, whatever the weights.
_SQLITE = f"""
    SELECT a.id FROM agent_helparticle_search JOIN agent_helparticle a ON a.id = agent_helparticle_search.rowid
    WHERE agent_helparticle_search MATCH %(words)s AND {_CURRENT}
    ORDER BY a.id IN (
        SELECT rowid FROM agent_helparticle_search WHERE agent_helparticle_search MATCH %(titles)s
    ) DESC, bm25(agent_helparticle_search, 10.0, 1.0), a.slug LIMIT %(limit)s
"""  # noqa: S608 - nothing from outside: the values are parameters


def search(query: str, language: str, limit: int = LIMIT) -> list[HelpArticle]:
    """The articles that speak of the query, best first: the newest published version of each, in that language.

    Where the language has no answer, articles in other languages are better than none. A query of nothing but
    signs or silent words finds nothing; none is an error.
    """
    words = asked_for(query)
    if not words:
        return []
    own = language.split("-")[0].lower()
    others = HelpArticle.objects.exclude(language=own).order_by("language").values_list("language", flat=True)
    for each in [own, *others.distinct()]:
        found = _found(words, language=each, limit=limit)
        if found:
            return found
    return []


def _found(words: list[str], *, language: str, limit: int) -> list[HelpArticle]:
    # The words hold letters and digits only (`asked_for`), so nothing in them can end the quotes.
    if connection.vendor == "postgresql":
        sql, asked = _POSTGRESQL, " | ".join(f"'{word}' | '{beginning_of(word)}':*" for word in words)
    else:
        sql, asked = _SQLITE, " OR ".join(f'"{word}" OR "{beginning_of(word)}" *' for word in words)
    values: dict[str, str | int] = {
        "language": language,
        "words": asked,
        "titles": f"title : ({asked})",
        "limit": limit,
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        ids = [row[0] for row in cursor.fetchall()]
    rows = HelpArticle.objects.in_bulk(ids)
    return [rows[pk] for pk in ids if pk in rows]
