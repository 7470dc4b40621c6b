"""Refunds that leave the house: their transfers, the provider's id of a payment, and refunds that are taken back.

A later migration that alters one of these tables rebuilds it on SQLite and so drops its triggers: let it run this
`hold` again. tests/billing/test_constraints.py notices.
"""

from importlib import import_module

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

reservations = import_module("billing.migrations.0003_reservations")
books = reservations.books

# A refund that was taken back counts no more.
LEFT = books.LEFT.replace(
    "WHEN 'payment' THEN amount_minor ELSE -amount_minor", "WHEN 'refund' THEN -amount_minor ELSE amount_minor"
)
FITS = (
    "SELECT 1 FROM billing_entry AS taken WHERE taken.id = NEW.reverses_id AND taken.kind = 'refund'"
    " AND taken.amount_minor = NEW.amount_minor AND taken.account_id = NEW.account_id"
    " AND taken.payment_id = NEW.payment_id"
)
POSTGRESQL = [
    f"""
    CREATE FUNCTION billing_reversal_fits() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NOT EXISTS ({FITS}) THEN
            RAISE EXCEPTION 'a reversal is not its refund' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
    END $$
    """,
    "CREATE TRIGGER billing_reversal_fits AFTER INSERT ON billing_entry FOR EACH ROW"
    " WHEN (NEW.kind = 'reversal') EXECUTE FUNCTION billing_reversal_fits()",
    "CREATE TRIGGER billing_transfer_final_stays BEFORE UPDATE ON billing_transfer FOR EACH ROW"
    " WHEN (OLD.settled_at IS NOT NULL) EXECUTE FUNCTION billing_rows_stay()",
]
SQLITE = [
    "CREATE TRIGGER billing_reversal_fits AFTER INSERT ON billing_entry WHEN NEW.kind = 'reversal'"
    f" BEGIN SELECT RAISE(ABORT, 'a reversal is not its refund') WHERE NOT EXISTS ({FITS}); END",
    "CREATE TRIGGER billing_transfer_final_stays BEFORE UPDATE ON billing_transfer WHEN OLD.settled_at IS NOT NULL"
    " BEGIN SELECT RAISE(ABORT, 'what is final stays so'); END",
]
TRIGGERS = {"billing_reversal_fits": "billing_entry", "billing_transfer_final_stays": "billing_transfer"}


def hold(apps, schema_editor):
    """Everything that the books promise, also where some of it is held already."""
    _drop_own(schema_editor)
    reservations.hold(apps, schema_editor)
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    old, new = (books.POSTGRESQL, POSTGRESQL) if is_postgresql else (books.SQLITE, SQLITE)
    for statement in old:
        if books.LEFT in statement:
            _replace(schema_editor, statement.replace(books.LEFT, LEFT))
    for statement in new:
        schema_editor.execute(statement)


def _replace(schema_editor, statement):
    """The rule that counts refunds, in its new wording."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(statement.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"))
    else:
        schema_editor.execute("DROP TRIGGER billing_refunds_within_payments")
        schema_editor.execute(statement)


def release(apps, schema_editor):
    _drop_own(schema_editor)
    reservations.hold(apps, schema_editor)


def _drop_own(schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for trigger, table in TRIGGERS.items():
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {trigger}" + (f" ON {table}" if is_postgresql else ""))
    if is_postgresql:
        schema_editor.execute("DROP FUNCTION IF EXISTS billing_reversal_fits()")


# What altered the table on SQLite dropped the triggers with it: going back, they are made again at the very end.
FIRST = migrations.RunPython(migrations.RunPython.noop, reservations.hold)


class Migration(migrations.Migration):
    dependencies = [
        ("billing", "0003_reservations"),
    ]

    operations = [
        FIRST,
        migrations.CreateModel(
            name="Transfer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=80, unique=True)),
                ("cause", models.CharField(db_index=True, max_length=64)),
                ("gateway", models.CharField(max_length=120)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("due", "to be sent"),
                            ("pending", "on its way"),
                            ("unknown", "being checked"),
                            ("succeeded", "done"),
                            ("failed", "refused"),
                        ],
                        default="due",
                        max_length=9,
                    ),
                ),
                ("external_id", models.CharField(blank=True, max_length=120)),
                ("reason", models.CharField(blank=True, max_length=200)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                ("tried_at", models.DateTimeField(blank=True, null=True)),
                ("settled_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.RemoveConstraint(
            model_name="entry",
            name="entry_payment_or_refund",
        ),
        migrations.AddField(
            model_name="entry",
            name="external_id",
            field=models.CharField(blank=True, max_length=120, null=True),
        ),
        migrations.AddField(
            model_name="entry",
            name="reverses",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="reversal",
                to="billing.entry",
            ),
        ),
        migrations.AlterField(
            model_name="entry",
            name="kind",
            field=models.CharField(
                choices=[("payment", "payment"), ("refund", "refund"), ("reversal", "refund taken back")], max_length=8
            ),
        ),
        migrations.AddConstraint(
            model_name="entry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("amount_minor__gt", 0),
                        ("kind", "payment"),
                        ("payment__isnull", True),
                        ("reverses__isnull", True),
                    ),
                    models.Q(
                        ("amount_minor__gte", 0),
                        ("kind", "refund"),
                        ("payment__isnull", False),
                        ("reverses__isnull", True),
                    ),
                    models.Q(
                        ("amount_minor__gt", 0),
                        ("kind", "reversal"),
                        ("payment__isnull", False),
                        ("reverses__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="entry_payment_or_refund",
            ),
        ),
        migrations.AddField(
            model_name="transfer",
            name="entry",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.PROTECT, related_name="transfer", to="billing.entry"
            ),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("settled_at__isnull", True), ("state__in", ["due", "pending", "unknown"])),
                    models.Q(("settled_at__isnull", False), ("state__in", ["succeeded", "failed"])),
                    _connector="OR",
                ),
                name="transfer_final_has_a_time",
            ),
        ),
        migrations.AddConstraint(
            model_name="transfer",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("sent_at__isnull", True), ("tried_at__isnull", True)),
                    models.Q(("sent_at__isnull", False), ("tried_at__gte", models.F("sent_at"))),
                    _connector="OR",
                ),
                name="transfer_tries_have_an_order",
            ),
        ),
        migrations.RunPython(hold, release),
    ]
