"""SECURITY 24, 25, 26: what is said or stored stays words, on pages, in the stream, in mails, in the admin."""

import ast
import json
import re
from functools import cache
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from agent import events, live
from agent.actions import show
from agent.models import AgentRun, Event, HelpArticle, OutgoingMail, PendingAction
from agent.runs import run_agent_for_user
from agent.testing import ScriptedClient, text, tool_use
from orders.models import Product, Shipment, ShipmentEvent
from tests.billing.books import card
from tests.orders.shop import order_with, variant
from tests.pages.conftest import signed_in
from tests.pages.hostile_words import ROOT, faults, hostile_words

WORDS = hostile_words()
ORDER = "DZ-10001"


@pytest.fixture
def superuser(db: None) -> User:
    return User.objects.create_superuser("root", "root@example.com", "correct horse battery")


def said_everywhere(words: str, *, customer: User) -> AgentRun:
    """A run in which everybody says it: the customer, the model, a tool's records, a member of staff."""
    User.objects.filter(pk=customer.pk).update(first_name=words[:150])
    EmailAddress.objects.create(user=customer, email=customer.email, verified=True, primary=True)
    mug = variant("Mug", sku="MUG-1", price=1600, color=words)
    Product.objects.update(name=words[:200])
    order = order_with(customer, mug, paid_with=card(customer), number=ORDER, status="delivered", note=words)
    ShipmentEvent.objects.create(shipment=Shipment.objects.create(order=order, carrier=words[:60]), text=words[:500])
    HelpArticle.objects.create(slug="words", language="en", title=words[:200], body=words)
    back = {"order_number": ORDER, "skus": ["MUG-1"], "payment_method": "credit_card_4242"}
    client = ScriptedClient(
        [tool_use("order_status", order_number=ORDER), tool_use("find_products"), tool_use("my_account")],
        [
            tool_use("search_help", query=words[:200]),
            tool_use(words[:100], {"a": words}),
            tool_use("return_items", back),
        ],
        [tool_use("hand_off", reason="complaint", summary=words[:1000]), tool_use("email_transcript")],
        [text(words)],
    )
    run = run_agent_for_user(words, user=customer, client=client)
    said = {"author": "staff", "name": words, "text": words, "run": str(run.pk)}
    events.append(run.conversation_id, ("message", said))
    return run


def pages_of(run: AgentRun, *, superuser: User) -> dict[str, str]:
    """Every page on which any of it stands."""
    action = PendingAction.objects.get(run=run)
    customer, reviewer = signed_in(run.user), signed_in(superuser)
    addresses = {
        reverse("agent:home"): customer,
        reverse("agent:conversation", args=[run.conversation_id]): customer,
        reverse("agent:run", args=[run.pk]): customer,
        reverse("agent:history"): customer,
        reverse("agent:action", args=[action.pk]): customer,
        reverse("help_article", args=["words"]): customer,
        reverse("staff:runs"): reviewer,
        reverse("staff:run", args=[run.pk]): reviewer,
    }
    return {address: _page(client, address) for address, client in addresses.items()}


def _admin_addresses() -> list[str]:
    found = []
    for model in admin.site._registry:
        name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        found.append(reverse(f"{name}_changelist"))
        row = model._default_manager.first()
        found += [reverse(f"{name}_change", args=[row.pk])] if row else []
    return found


def _page(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    assert "img-src 'self';" in f"{answer['Content-Security-Policy']};"
    assert not re.search(r"script-src[^;]*(?:unsafe|http|\*)|default-src[^;]*\*", answer["Content-Security-Policy"])
    return answer.text


@pytest.mark.parametrize("words", WORDS, ids=lambda words: " ".join(words.split())[:50])
def test_hostile_words_stay_words(words: str, alice: User, superuser: User, settings: Any) -> None:
    """SECURITY 24 and 25: nothing acts, nothing is fetched from elsewhere, no form and no image leads away."""
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    run = said_everywhere(words, customer=alice)
    drawn = {f"event {event.seq}": live.render(event)["html"] for event in Event.objects.all()}
    mails = {mail.key: mail.html for mail in OutgoingMail.objects.all()}
    assert mails
    found = {
        place: wrong
        for place, html in {**pages_of(run, superuser=superuser), **drawn}.items()
        if (wrong := list(faults(html)))
    }
    assert found == {}
    for key, html in mails.items():
        # A mail has no policy of the browser's to fall back on: not even a link to elsewhere but as words.
        outside = [url for url in re.findall(r'(?:href|src)="([^"]*)"', html) if "evil" in url]
        assert (key, outside, re.findall(r"<(?:img|script|iframe|form|svg)\b", html)) == (key, [], [])


@pytest.mark.parametrize("words", ['"><img src=x onerror=alert(1)></title></textarea>-->', WORDS[0]])
def test_admin_shows_words_as_words(words: str, alice: User, superuser: User) -> None:
    """SECURITY 24: every list and every row that the admin shows."""
    said_everywhere(words, customer=alice)
    reviewer = signed_in(superuser)
    addresses = _admin_addresses()
    assert len(addresses) > 20
    found = {address: wrong for address in addresses if (wrong := list(faults(_page(reviewer, address))))}
    assert found == {}


def test_faults_are_seen_where_there_are_some() -> None:
    harmful = [words for words in WORDS if list(faults(words))]
    assert len(harmful) > 15


def test_stream_carries_words_as_one_line_of_json(alice: User, superuser: User) -> None:
    """SECURITY 24: what the browser takes as HTML was made by our templates; it cannot break out of its line."""
    run = said_everywhere(
        '</script><img src=x onerror=alert(1)>\n\ndata: {"seq": 1}\r\n\u2028event: run', customer=alice
    )
    for event in Event.objects.filter(conversation=run.conversation):
        line = json.dumps(live.render(event))
        assert "\n" not in line
        assert list(faults(json.loads(line)["html"])) == []


def test_script_takes_html_from_the_servers_templates_alone() -> None:
    """SECURITY 24: what a model is still writing goes in as text."""
    sources = {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "static" / "js").glob("*.js")}
    taken = [
        (name, " ".join(line.split()))
        for name, source in sources.items()
        for line in source.splitlines()
        if re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser", line)
    ]
    page = 'new DOMParser().parseFromString(await answer.text(), "text/html");'  # earlier.js: our own page, once more
    assert {line.partition("=")[2].strip() for _, line in taken} <= {"data.html;", 'data.html ?? "";', page}, taken


# Templates --------------------------------------------------------------------------------------------------------


def test_marks_of_templates_are_words(alice: User, superuser: User, settings: Any) -> None:
    """SECURITY 26: in a message, in a proposal's sentence and in a mail."""
    settings.SECRET_KEY = "canary-of-the-key"
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    words = "{{ request.user.password }}{% debug %}{0.__class__} %(order)s"
    run = said_everywhere(words, customer=alice)
    action = PendingAction.objects.get(run=run)
    assert words in show(action).sentence
    pages = pages_of(run, superuser=superuser)
    assert "{% debug %}{0.__class__}" in pages[reverse("agent:conversation", args=[run.conversation_id])]
    assert "{% debug %}" in OutgoingMail.objects.get(key__startswith="transcript").text
    assert not [address for address, page in pages.items() if "canary-of-the-key" in page]


@cache
def _every_call() -> list[tuple[str, ast.Call]]:
    return [
        (str(path.relative_to(ROOT)), node)
        for app in ("agent", "orders", "billing", "config")
        for path in (ROOT / app).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]


def _calls(*names: str) -> list[tuple[str, ast.Call]]:
    return [
        (path, call)
        for path, call in _every_call()
        if {getattr(call.func, "id", ""), getattr(call.func, "attr", "")} & set(names)
    ]


def test_no_template_is_made_of_a_text() -> None:
    """SECURITY 26: templates are files, and their names stand in the code."""
    assert [path for path, _ in _calls("Template", "from_string") if not path.startswith("config/")] == []
    named = (ast.Constant, ast.JoinedStr, ast.Name)
    assert [path for path, call in _calls("render_to_string") if not isinstance(call.args[0], named)] == []


def test_text_is_formatted_by_patterns_of_our_own_alone() -> None:
    """SECURITY 26: a text of somebody else's is an argument of `format`, never the pattern."""
    patterns = {ast.unparse(getattr(call.func, "value", call)) for _, call in _calls("format", "format_map")}
    own = {pattern for pattern in patterns if re.fullmatch(r"['\"f].*|[A-Z_]+(?:\[.*\]|\.\w+)*", pattern, re.DOTALL)}
    assert patterns - own == set()
