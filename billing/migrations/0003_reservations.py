"""Gift card money that is promised to an exchange; the database counts it as spent.

A later migration that alters billing_entry, billing_giftcardentry or billing_reservation rebuilds the table on SQLite
and so drops its triggers: let it run this `hold` again. tests/billing/test_constraints.py notices.
"""

from importlib import import_module

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models

books = import_module("billing.migrations.0002_books_hold")

RESERVED = "SELECT COALESCE(SUM(amount_minor), 0) FROM billing_reservation WHERE method_id = NEW.method_id"
FREE = f"({books.HELD}) - ({RESERVED})"
POSTGRESQL = [
    "CREATE TRIGGER billing_reservation_within_gift_card AFTER INSERT ON billing_reservation FOR EACH ROW"
    " EXECUTE FUNCTION billing_gift_card_above_zero()",
    "CREATE TRIGGER billing_reservation_stays BEFORE UPDATE ON billing_reservation FOR EACH ROW"
    " EXECUTE FUNCTION billing_rows_stay()",
]
SQLITE = [
    "CREATE TRIGGER billing_reservation_within_gift_card AFTER INSERT ON billing_reservation"
    f" BEGIN SELECT RAISE(ABORT, 'gift card below zero') WHERE ({FREE}) < 0; END",
    "CREATE TRIGGER billing_reservation_stays BEFORE UPDATE ON billing_reservation"
    " BEGIN SELECT RAISE(ABORT, 'rows of the books are only ever added'); END",
]
TRIGGERS = ("billing_reservation_within_gift_card", "billing_reservation_stays")


def hold(apps, schema_editor):
    """Everything that the books promise, also where some of it is held already."""
    _drop_own(schema_editor)
    books.release(apps, schema_editor)
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    old, new = (books.POSTGRESQL, POSTGRESQL) if is_postgresql else (books.SQLITE, SQLITE)
    for statement in [*(statement.replace(books.HELD, FREE) for statement in old), *new]:
        schema_editor.execute(statement)


def release(apps, schema_editor):
    _drop_own(schema_editor)
    books.release(apps, schema_editor)
    books.hold(apps, schema_editor)


def _drop_own(schema_editor):
    table = " ON billing_reservation" if schema_editor.connection.vendor == "postgresql" else ""
    for trigger in TRIGGERS:
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {trigger}{table}")


class Migration(migrations.Migration):
    dependencies = [("billing", "0002_books_hold")]
    operations = [
        migrations.CreateModel(
            name="Reservation",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("amount_minor", models.BigIntegerField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="reservations", to="billing.account"
                    ),
                ),
                (
                    "method",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="reservations",
                        to="billing.paymentmethod",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("amount_minor__gt", 0)), name="reservation_above_zero"
                    ),
                    models.UniqueConstraint(fields=("account",), name="reservation_once_an_account"),
                ],
            },
        ),
        migrations.RunPython(hold, release),
    ]
