"""What the books promise, held by the database itself: refunds stay within payments, gift cards above zero, and no row changes.

A later migration that alters billing_entry or billing_giftcardentry rebuilds the table on SQLite and so drops its
triggers: let it run `hold` again. tests/billing/test_constraints.py notices.

Deletion is not refused here: SQLite empties tables by DELETE between tests. The models refuse it.
"""

from django.db import migrations

LEFT = "SELECT COALESCE(SUM(CASE kind WHEN 'payment' THEN amount_minor ELSE -amount_minor END), 0) FROM billing_entry WHERE account_id = NEW.account_id"
HELD = "SELECT COALESCE(SUM(amount_minor), 0) FROM billing_giftcardentry WHERE method_id = NEW.method_id"

# In PostgreSQL the row lock makes a second writer wait, and its own sum then counts what the first one wrote.
POSTGRESQL = [
    f"""
    CREATE FUNCTION billing_refunds_within_payments() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM 1 FROM billing_account WHERE id = NEW.account_id FOR UPDATE;
        IF ({LEFT}) < 0 THEN
            RAISE EXCEPTION 'refunds above payments' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
    END $$
    """,
    f"""
    CREATE FUNCTION billing_gift_card_above_zero() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM 1 FROM billing_paymentmethod WHERE id = NEW.method_id FOR UPDATE;
        IF ({HELD}) < 0 THEN
            RAISE EXCEPTION 'gift card below zero' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
    END $$
    """,
    """
    CREATE FUNCTION billing_rows_stay() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'rows of the books are only ever added' USING ERRCODE = 'check_violation';
    END $$
    """,
    "CREATE TRIGGER billing_refunds_within_payments AFTER INSERT ON billing_entry FOR EACH ROW"
    " WHEN (NEW.kind = 'refund') EXECUTE FUNCTION billing_refunds_within_payments()",
    "CREATE TRIGGER billing_gift_card_above_zero AFTER INSERT ON billing_giftcardentry FOR EACH ROW"
    " WHEN (NEW.amount_minor < 0) EXECUTE FUNCTION billing_gift_card_above_zero()",
    "CREATE TRIGGER billing_entry_stays BEFORE UPDATE ON billing_entry FOR EACH ROW"
    " EXECUTE FUNCTION billing_rows_stay()",
    "CREATE TRIGGER billing_giftcardentry_stays BEFORE UPDATE ON billing_giftcardentry FOR EACH ROW"
    " EXECUTE FUNCTION billing_rows_stay()",
]
SQLITE = [
    "CREATE TRIGGER billing_refunds_within_payments AFTER INSERT ON billing_entry WHEN NEW.kind = 'refund'"
    f" BEGIN SELECT RAISE(ABORT, 'refunds above payments') WHERE ({LEFT}) < 0; END",
    "CREATE TRIGGER billing_gift_card_above_zero AFTER INSERT ON billing_giftcardentry WHEN NEW.amount_minor < 0"
    f" BEGIN SELECT RAISE(ABORT, 'gift card below zero') WHERE ({HELD}) < 0; END",
    "CREATE TRIGGER billing_entry_stays BEFORE UPDATE ON billing_entry"
    " BEGIN SELECT RAISE(ABORT, 'rows of the books are only ever added'); END",
    "CREATE TRIGGER billing_giftcardentry_stays BEFORE UPDATE ON billing_giftcardentry"
    " BEGIN SELECT RAISE(ABORT, 'rows of the books are only ever added'); END",
]
TRIGGERS = {
    "billing_refunds_within_payments": "billing_entry",
    "billing_gift_card_above_zero": "billing_giftcardentry",
    "billing_entry_stays": "billing_entry",
    "billing_giftcardentry_stays": "billing_giftcardentry",
}


def hold(apps, schema_editor):
    for statement in POSTGRESQL if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement)


def release(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for trigger, table in TRIGGERS.items():
        schema_editor.execute(f"DROP TRIGGER IF EXISTS {trigger}" + (f" ON {table}" if is_postgresql else ""))
    if is_postgresql:
        for name in ("billing_refunds_within_payments", "billing_gift_card_above_zero", "billing_rows_stay"):
            schema_editor.execute(f"DROP FUNCTION IF EXISTS {name}()")


class Migration(migrations.Migration):
    dependencies = [("billing", "0001_initial")]
    operations = [migrations.RunPython(hold, release)]
