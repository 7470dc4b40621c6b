"""The search index of the help articles, kept in step by the database itself.

PostgreSQL: a generated column of weighted vectors (title A, body D) in the configuration of the article's language.
SQLite: an FTS5 table beside the articles, and triggers. A later migration that alters agent_helparticle rebuilds the
table on SQLite and so drops the triggers: let it run `drop` and `build` again. tests/agent/test_knowledge.py notices.
"""

from django.db import migrations

# A language without a configuration of its own is searched without stemming.
POSTGRESQL = [
    """
    CREATE FUNCTION agent_help_config(language text) RETURNS regconfig LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
        SELECT CASE split_part(language, '-', 1)
            WHEN 'da' THEN 'pg_catalog.danish'::regconfig
            WHEN 'de' THEN 'pg_catalog.german'::regconfig
            WHEN 'en' THEN 'pg_catalog.english'::regconfig
            WHEN 'es' THEN 'pg_catalog.spanish'::regconfig
            WHEN 'fi' THEN 'pg_catalog.finnish'::regconfig
            WHEN 'fr' THEN 'pg_catalog.french'::regconfig
            WHEN 'it' THEN 'pg_catalog.italian'::regconfig
            WHEN 'nb' THEN 'pg_catalog.norwegian'::regconfig
            WHEN 'nl' THEN 'pg_catalog.dutch'::regconfig
            WHEN 'pt' THEN 'pg_catalog.portuguese'::regconfig
            WHEN 'sv' THEN 'pg_catalog.swedish'::regconfig
            ELSE 'pg_catalog.simple'::regconfig
        END
    $$
    """,
    """
    ALTER TABLE agent_helparticle ADD COLUMN search tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector(agent_help_config(language), title), 'A')
        || setweight(to_tsvector(agent_help_config(language), body), 'D')
    ) STORED
    """,
    "CREATE INDEX agent_helparticle_search ON agent_helparticle USING gin (search)",
]
POSTGRESQL_BACK = [
    "ALTER TABLE agent_helparticle DROP COLUMN search",
    "DROP FUNCTION agent_help_config(text)",
]

_FORGET = (
    "INSERT INTO agent_helparticle_search (agent_helparticle_search, rowid, title, body)"
    " VALUES ('delete', OLD.id, OLD.title, OLD.body);"
)
_LEARN = "INSERT INTO agent_helparticle_search (rowid, title, body) VALUES (NEW.id, NEW.title, NEW.body);"
SQLITE = [
    "CREATE VIRTUAL TABLE agent_helparticle_search USING fts5(title, body, content='agent_helparticle',"
    " content_rowid='id', tokenize='porter unicode61 remove_diacritics 2', prefix='4 5')",
    f"CREATE TRIGGER agent_helparticle_added AFTER INSERT ON agent_helparticle BEGIN {_LEARN} END",
    f"CREATE TRIGGER agent_helparticle_removed AFTER DELETE ON agent_helparticle BEGIN {_FORGET} END",
    "CREATE TRIGGER agent_helparticle_changed AFTER UPDATE OF title, body ON agent_helparticle"
    f" BEGIN {_FORGET} {_LEARN} END",
    "INSERT INTO agent_helparticle_search (agent_helparticle_search) VALUES ('rebuild')",
]
SQLITE_BACK = [
    "DROP TRIGGER IF EXISTS agent_helparticle_added",
    "DROP TRIGGER IF EXISTS agent_helparticle_removed",
    "DROP TRIGGER IF EXISTS agent_helparticle_changed",
    "DROP TABLE agent_helparticle_search",
]


def build(apps, schema_editor):
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement)


def drop(apps, schema_editor):
    for statement in POSTGRESQL_BACK if schema_editor.connection.vendor == "postgresql" else SQLITE_BACK:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("agent", "0002_help_and_mail")]
    operations = [migrations.RunPython(build, drop)]
