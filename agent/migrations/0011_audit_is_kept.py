"""The audit outlives its conversations, is anchored daily, and is insert-only by trigger.

A later migration that alters one of the two tables rebuilds it on SQLite and so drops its triggers: let it run `hold`
again. tests/audit/test_insert_only.py notices.
"""

import agent.fields
from django.db import migrations, models

TABLES = ("agent_auditentry", "agent_auditanchor")
WORDS = "rows of the audit are only ever added"

POSTGRESQL = [
    f"""
    CREATE FUNCTION agent_audit_stays() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '{WORDS}' USING ERRCODE = 'check_violation';
    END $$
    """,
]
SQLITE = []
# What a row must not have in common with one that is there: REPLACE would remove that one without a DELETE.
SAME = {
    "agent_auditentry": "id = NEW.id OR (conversation_id = NEW.conversation_id AND sequence = NEW.sequence)",
    "agent_auditanchor": "id = NEW.id OR number = NEW.number OR day = NEW.day",
}
for table in TABLES:
    POSTGRESQL += [
        f"CREATE TRIGGER {table}_stays BEFORE UPDATE OR DELETE ON {table} FOR EACH ROW"
        " EXECUTE FUNCTION agent_audit_stays()",
        f"CREATE TRIGGER {table}_not_emptied BEFORE TRUNCATE ON {table} FOR EACH STATEMENT"
        " EXECUTE FUNCTION agent_audit_stays()",
        # ALWAYS: also in a session that plays another server's changes.
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_stays",
        f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {table}_not_emptied",
    ]
    SQLITE += [
        f"CREATE TRIGGER {table}_not_changed BEFORE UPDATE ON {table}"
        f" BEGIN SELECT RAISE(ABORT, '{WORDS}'); END",
        f"CREATE TRIGGER {table}_not_removed BEFORE DELETE ON {table}"
        f" BEGIN SELECT RAISE(ABORT, '{WORDS}'); END",
        f"CREATE TRIGGER {table}_not_replaced BEFORE INSERT ON {table}"
        f" WHEN EXISTS (SELECT 1 FROM {table} WHERE {SAME[table]})"
        f" BEGIN SELECT RAISE(ABORT, 'UNIQUE constraint failed: {WORDS}'); END",
    ]


def releasing(vendor):
    """The statements that take the triggers away."""
    if vendor == "postgresql":
        return [f"DROP TRIGGER IF EXISTS {table}_{kind} ON {table}" for table in TABLES for kind in ("stays", "not_emptied")]
    kinds = ("not_changed", "not_removed", "not_replaced")
    return [f"DROP TRIGGER IF EXISTS {table}_{kind}" for table in TABLES for kind in kinds]


def holding(vendor):
    """The statements that make the tables insert-only."""
    return POSTGRESQL if vendor == "postgresql" else SQLITE


def hold(apps, schema_editor):
    for statement in holding(schema_editor.connection.vendor):
        schema_editor.execute(statement)


def release(apps, schema_editor):
    for statement in releasing(schema_editor.connection.vendor):
        schema_editor.execute(statement)
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP FUNCTION IF EXISTS agent_audit_stays()")


class Migration(migrations.Migration):
    dependencies = [("agent", "0010_calls_without_a_model")]
    operations = [
        migrations.RemoveConstraint("auditentry", "audit_sequence_once"),
        migrations.AlterModelOptions("auditentry", options={"verbose_name_plural": "audit entries"}),
        # The foreign key becomes the plain column that it stands on; its values stay.
        migrations.AlterField("auditentry", "conversation", models.UUIDField(db_column="conversation_id")),
        migrations.RenameField("auditentry", "conversation", "conversation_id"),
        migrations.AlterField("auditentry", "conversation_id", models.UUIDField()),
        migrations.AlterModelOptions(
            "auditentry",
            options={"ordering": ["conversation_id", "sequence"], "verbose_name_plural": "audit entries"},
        ),
        migrations.AddConstraint(
            "auditentry",
            models.UniqueConstraint(fields=("conversation_id", "sequence"), name="audit_sequence_once"),
        ),
        migrations.AddIndex("auditentry", models.Index(fields=["at"], name="audit_by_time")),
        migrations.CreateModel(
            name="AuditAnchor",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField(unique=True)),
                ("day", models.DateField(unique=True)),
                ("heads", agent.fields.JSONTextField()),
                ("previous", models.CharField(blank=True, max_length=64)),
                ("digest", models.CharField(max_length=64)),
                ("at", models.DateTimeField()),
            ],
            options={"ordering": ["number"]},
        ),
        migrations.RunPython(hold, release),
    ]
