"""B18: who was shown and decided what, when, from where and in which words; kept once, proven by the audit."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from agent import audit
from agent.actions import witnessing
from agent.audit import keys
from agent.models import ActionTrace, AuditEntry, PendingAction
from agent.tools.schema import digest as digest_of
from billing.models import Refund
from tests.pages.conftest import JSON, signed_in

State = PendingAction.State
PHONE = "Mozilla/5.0 (a telephone)"


def page_of(action: PendingAction) -> str:
    return f"/agent/actions/{action.pk}/"


def decide(client: Client, action: PendingAction, decision: str = "confirm", **more: Any) -> Any:
    return client.post(page_of(action), {"decision": decision, "digest": action.digest}, **more)


def kinds(action: PendingAction) -> list[str]:
    entries = AuditEntry.objects.filter(subject=f"action:{action.pk}").order_by("sequence")
    return list(entries.values_list("kind", flat=True))


def test_b18_the_whole_way_is_recorded(as_alice: Client, proposal: PendingAction) -> None:
    as_alice.get(page_of(proposal))
    decide(as_alice, proposal)
    assert kinds(proposal) == ["action.proposed", "action.shown", "action.confirmed", "action.executed"]


def test_b18_a_refusal_is_recorded(as_alice: Client, proposal: PendingAction) -> None:
    decide(as_alice, proposal, "reject")
    assert kinds(proposal) == ["action.proposed", "action.rejected"]
    assert Refund.objects.count() == 0


def test_b18_an_expiry_is_recorded(as_alice: Client, proposal: PendingAction) -> None:
    PendingAction.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    decide(as_alice, proposal)
    assert kinds(proposal) == ["action.proposed", "action.expired"]
    assert AuditEntry.objects.get(kind="action.expired").actor == "host"


def test_b18_what_is_shown_is_kept_once_for_each_text(as_alice: Client, proposal: PendingAction) -> None:
    for language in ("en", "en", "de", "de", "en"):
        as_alice.get(page_of(proposal), headers={"Accept-Language": language})
    shown = ActionTrace.objects.filter(kind="action.shown")
    assert [trace.language for trace in shown] == ["en", "de"]
    assert len({trace.text_hash for trace in shown}) == 2


def test_b18_other_facts_are_shown_anew(as_alice: Client, proposal: PendingAction) -> None:
    as_alice.get(page_of(proposal))
    decided = as_alice.post(page_of(proposal), {"decision": "confirm", "digest": "0" * 64})
    assert decided.status_code == 409
    PendingAction.objects.update(digest="1" * 64)
    as_alice.get(page_of(proposal))
    digests = ActionTrace.objects.filter(kind="action.shown").values_list("digest", flat=True)
    assert list(digests) == [proposal.digest, "1" * 64]


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Purpose": "prefetch"},
        {"Sec-Purpose": "prefetch;prerender"},
        {"Purpose": "prefetch"},
        {"X-Moz": "prefetch"},
    ],
)
def test_b1_a_prefetch_leaves_no_row(as_alice: Client, proposal: PendingAction, headers: dict[str, str]) -> None:
    assert as_alice.get(page_of(proposal), headers=headers).status_code == 200
    assert (kinds(proposal), ActionTrace.objects.count()) == (["action.proposed"], 0)


def test_b1_head_strangers_and_scanners_leave_no_row(as_alice: Client, as_bob: Client, proposal: PendingAction) -> None:
    as_alice.head(page_of(proposal))
    as_bob.get(page_of(proposal))
    Client().get(page_of(proposal))
    assert (kinds(proposal), ActionTrace.objects.count()) == (["action.proposed"], 0)


def test_b1_five_readings_leave_it_usable(as_alice: Client, proposal: PendingAction) -> None:
    for _ in range(5):
        assert as_alice.get(page_of(proposal)).status_code == 200
    assert kinds(proposal) == ["action.proposed", "action.shown"]
    decide(as_alice, proposal)
    assert Refund.objects.count() == 1


def test_what_is_decided_is_not_shown_for_a_decision(as_alice: Client, proposal: PendingAction) -> None:
    decide(as_alice, proposal, "reject")
    as_alice.get(page_of(proposal))
    assert not ActionTrace.objects.filter(kind="action.shown").exists()


def test_b18_the_trace_tells_who_and_from_where(alice: User, proposal: PendingAction) -> None:
    client = signed_in(alice, REMOTE_ADDR="203.0.113.77", HTTP_USER_AGENT=PHONE)
    client.get(page_of(proposal), headers=JSON)
    trace = ActionTrace.objects.get()
    assert (trace.network, trace.agent, trace.digest) == ("203.0.113.0/24", PHONE, proposal.digest)
    assert trace.entry.actor == f"user:{alice.pk}"
    assert "203.0.113.77" not in str(list(ActionTrace.objects.values()) + list(AuditEntry.objects.values()))


def test_b18_the_trace_is_what_the_audit_stands_for(alice: User, proposal: PendingAction) -> None:
    client = signed_in(alice, REMOTE_ADDR="2001:db8:1:2::7")
    client.get(page_of(proposal))
    decide(client, proposal)
    proposal.refresh_from_db()
    traces = {trace.kind: trace for trace in ActionTrace.objects.all()}
    assert set(traces) == {"action.shown", "action.confirmed", "action.executed"}
    for trace in traces.values():
        payload = witnessing.payload(proposal, trace)
        assert keys.is_signed(trace.entry.payload_digest, digest_of(payload))
        assert not keys.is_signed(trace.entry.payload_digest, digest_of({**payload, "text_hash": "0" * 64}))
    assert len({trace.text_hash for trace in traces.values()}) == 1  # what was confirmed is what was shown
    assert list(audit.findings()) == []


def test_erasing_the_account_takes_the_traces_and_leaves_the_audit(alice: User, proposal: PendingAction) -> None:
    client = signed_in(alice)
    client.get(page_of(proposal))
    before = AuditEntry.objects.count()
    PendingAction.objects.filter(pk=proposal.pk).delete()
    assert (ActionTrace.objects.count(), AuditEntry.objects.count()) == (0, before)
    assert list(audit.findings()) == []


def test_an_action_without_a_conversation_is_recorded_in_its_accounts_chain(
    alice: User, proposal: PendingAction
) -> None:
    PendingAction.objects.update(run=None)
    signed_in(alice).get(page_of(proposal))
    assert AuditEntry.objects.get(kind="action.shown").conversation_id == audit.chain_of_account(alice.pk)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.77", "203.0.113.0/24"), ("2001:db8:1:2::7", "2001:db8:1::/48"),
        ("::ffff:203.0.113.7", "203.0.113.0/24"),
        ("", ""), ("unix:", ""), ("203.0.113.77:80", ""),
    ],
)  # fmt: skip
def test_an_address_is_trimmed(address: str, network: str) -> None:
    assert witnessing.network(address) == network
