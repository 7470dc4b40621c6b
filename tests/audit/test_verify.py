"""Threat 45: whatever was altered behind the triggers' back is found and named; erasing leaves the record whole."""

import logging
import threading
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.utils import timezone

from agent import audit
from agent.audit import anchors
from agent.models import AuditAnchor, AuditEntry, Conversation
from agent.runs import run_agent_for_user
from agent.runs.leases import DUTIES
from agent.testing import ScriptedClient, text, tool_use
from tests.agent.conftest import paid_order
from tests.audit.conftest import FIRST, SECOND, written

ROW = "FROM agent_auditentry WHERE conversation_id = '{0}' AND sequence = {1}"
FIRST_HEX = FIRST.hex


def where(sequence: int, chain: str = FIRST_HEX) -> str:
    chain = str(FIRST if chain == FIRST_HEX else SECOND) if connection.vendor == "postgresql" else chain
    return f"WHERE conversation_id = '{chain}' AND sequence = {sequence}"


def verified() -> tuple[str, int]:
    """What `verify_audit` says, and the number of places it complains of. Its exit code is 1 with any."""
    out, code = StringIO(), 0
    try:
        call_command("verify_audit", stdout=out)
    except CommandError as error:
        code = error.returncode
    said = out.getvalue()
    return said, code * len(said.splitlines())


def test_untouched_record_is_whole(anchored):
    said, places = verified()
    assert places == 0
    assert said.startswith("The audit is whole: 8 rows; last anchor: anchor 1, ")


@pytest.mark.parametrize("field", ["actor", "kind", "subject", "payload_digest", "previous", "digest", "at"])
def test_changed_field_is_named(anchored, as_owner, field):
    value = "'2020-01-01 00:00:00+00:00'" if field == "at" else "'x'"
    as_owner(f"UPDATE agent_auditentry SET {field} = {value} {where(2)}")
    said, places = verified()
    assert (places, f"conversation {FIRST}, row 2 (id {anchored[1].pk}): changed since it was written" in said) == (
        1,
        True,
    )


def test_removed_middle_row_is_named(anchored, as_owner):
    as_owner(f"DELETE FROM agent_auditentry {where(2)}")
    assert verified() == (f"conversation {FIRST}, row 2: missing\n", 1)


def test_removed_row_that_was_numbered_over_is_named(anchored, as_owner):
    as_owner(f"DELETE FROM agent_auditentry {where(4)}", f"UPDATE agent_auditentry SET sequence = 4 {where(3)}")
    assert verified() == (f"conversation {FIRST}, row 3: missing\n", 1)


def test_removed_end_is_named(anchored, as_owner):
    as_owner(f"DELETE FROM agent_auditentry {where(4)}", f"DELETE FROM agent_auditentry {where(3)}")
    assert verified() == (f"conversation {FIRST}, row 3: missing: anchor 1 has row 4\n", 1)


def test_removed_chain_is_named(anchored, as_owner):
    chain = FIRST if connection.vendor == "postgresql" else FIRST_HEX
    as_owner(f"DELETE FROM agent_auditentry WHERE conversation_id = '{chain}'")
    said = f"conversation {FIRST}, row 1: missing, with its whole chain of 4 as anchor 1 has it\n"
    assert verified() == (said, 1)


def test_swapped_rows_are_named(anchored, as_owner):
    as_owner(
        f"UPDATE agent_auditentry SET sequence = 99 {where(2)}",
        f"UPDATE agent_auditentry SET sequence = 2 {where(3)}",
        f"UPDATE agent_auditentry SET sequence = 3 {where(99)}",
    )
    said, places = verified()
    assert (places, f"conversation {FIRST}, row 2 (id {anchored[2].pk})" in said) == (1, True)


def test_inserted_row_is_named(anchored):
    last = anchored[-1]
    columns = {"actor": "host", "kind": "k", "subject": "s", "payload_digest": "p", "digest": "d", "at": last.at}
    forged = AuditEntry.objects.create(conversation_id=FIRST, sequence=5, previous=last.digest, **columns)
    said, places = verified()
    assert (places, f"conversation {FIRST}, row 5 (id {forged.pk}): changed since it was written" in said) == (1, True)


def test_rows_of_a_forger_without_the_key_are_named(anchored, as_owner, settings):
    chain = FIRST if connection.vendor == "postgresql" else FIRST_HEX
    as_owner(f"DELETE FROM agent_auditentry WHERE conversation_id = '{chain}'")
    settings.SECRET_KEY, own = "the key of somebody else, of whom we know nothing", settings.SECRET_KEY
    written(FIRST)
    settings.SECRET_KEY = own
    said, places = verified()
    assert (places, f"conversation {FIRST}, row 1" in said) == (1, True)


def test_chain_written_anew_with_the_key_differs_from_its_anchor(anchored, as_owner):
    chain = FIRST if connection.vendor == "postgresql" else FIRST_HEX
    as_owner(f"DELETE FROM agent_auditentry WHERE conversation_id = '{chain}'")
    written(FIRST, 5)
    assert verified() == (f"conversation {FIRST}, row 4: another row than anchor 1 has\n", 1)


@pytest.mark.parametrize(
    ("sql", "named"),
    [
        ("DELETE FROM agent_auditanchor WHERE number = 1", "anchor 1: missing"),
        ("UPDATE agent_auditanchor SET heads = '{}' WHERE number = 1", "anchor 1: changed"),
        ("UPDATE agent_auditanchor SET previous = 'x' WHERE number = 2", "anchor 2: does not follow"),
    ],
)
def test_altered_anchor_is_named(anchored, as_owner, sql, named):
    audit.anchor_now(timezone.now() + timedelta(days=1))
    as_owner(sql)
    assert verified()[0].startswith(named)


def test_missing_trigger_is_named(anchored):
    table = " ON agent_auditentry" if connection.vendor == "postgresql" else ""
    name = "stays" if connection.vendor == "postgresql" else "not_changed"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER agent_auditentry_{name}{table}")
    assert verified() == ("agent_auditentry: rows can be changed: its triggers are gone; run the migrations\n", 1)


def test_first_of_each_chain_is_named(anchored, as_owner):
    as_owner(f"DELETE FROM agent_auditentry {where(2)}", f"DELETE FROM agent_auditentry {where(3, SECOND.hex)}")
    assert verified()[0].splitlines() == [
        f"conversation {FIRST}, row 2: missing",
        f"conversation {SECOND}, row 3: missing",
    ]


def test_erased_conversation_leaves_the_record_whole(alice):
    paid_order(alice, number="DZ-10001")
    client = ScriptedClient([tool_use("refund_order", order_number="DZ-10001", amount="10.00")], [text("Confirm it.")])
    run_agent_for_user("My money back", user=alice, client=client)
    audit.anchor_now()
    kept = AuditEntry.objects.count()
    Conversation.objects.all().delete()
    assert (verified()[1], AuditEntry.objects.count(), kept >= 1) == (0, kept, True)


class TestKeys:
    def test_new_secret_key_breaks_it_and_the_fallback_mends_it(self, anchored, settings):
        settings.SECRET_KEY, old = "another key of the site, long enough", settings.SECRET_KEY
        assert verified()[1] > 0
        settings.SECRET_KEY_FALLBACKS = [old]
        written(FIRST)
        assert verified()[1] == 0

    def test_audit_key_of_its_own_outlives_every_secret_key(self, db, settings):
        settings.AGENT = {**settings.AGENT, "AUDIT_KEYS": ["the key of the audit alone"]}
        written(FIRST)
        settings.SECRET_KEY = "another key of the site, long enough"
        assert verified()[1] == 0

    def test_rows_from_before_the_audit_key_are_verified_too(self, anchored, settings):
        settings.AGENT = {**settings.AGENT, "AUDIT_KEYS": ["the new one", "the one before"]}
        written(FIRST)
        assert verified()[1] == 0


@pytest.mark.django_db
class TestAnchors:
    def test_the_day_has_one_anchor(self, caplog):
        written(FIRST)
        with caplog.at_level(logging.INFO, logger="agent.audit"):
            assert [audit.anchor_daily(), audit.anchor_daily()] == [True, False]
        anchor = AuditAnchor.objects.get()
        assert [(record.number, record.digest) for record in caplog.records] == [(1, anchor.digest)]

    def test_anchor_names_what_grew_since_the_one_before(self):
        now = timezone.now()
        written(FIRST)
        anchors = [audit.anchor_now(now + timedelta(days=days)) for days in (0, 1, 2)]
        assert [set(anchor.heads) for anchor in anchors] == [{str(FIRST)}, {str(FIRST)}, set()]  # an hour counts twice
        assert [anchor.previous for anchor in anchors[1:]] == [anchor.digest for anchor in anchors[:2]]


@pytest.mark.django_db(transaction=True)
class TestAtOnce:
    def run_at_once(self, work, count=6):
        barrier, done = threading.Barrier(count), []

        def go():
            try:
                barrier.wait(timeout=10)
                done.append(work())
            finally:
                connections.close_all()

        threads = [threading.Thread(target=go) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=30)
        return done

    def test_every_keeper_anchors_and_waits_for_nothing(self):
        assert audit.anchor_soon in DUTIES
        audit.anchor_soon()
        thread = anchors.anchoring.thread
        assert thread is not threading.current_thread()
        thread.join(timeout=10)
        assert AuditAnchor.objects.count() == 1
        audit.anchor_soon()
        assert anchors.anchoring.thread is thread  # the day has its own: no further round begins

    def test_day_is_anchored_once(self):
        assert sorted(self.run_at_once(audit.anchor_daily)) == [False] * 5 + [True]
        assert AuditAnchor.objects.count() == 1

    def test_account_chain_takes_rows_from_everywhere(self):
        def record():
            return audit.record_of_account(7, actor="user:7", kind="access.refused", subject="action", payload={})

        assert sorted(entry.sequence for entry in self.run_at_once(record, count=4)) == [1, 2, 3, 4]
        assert verified()[1] == 0
