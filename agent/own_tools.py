"""The agent's own tools, the same in every shop."""

from typing import Annotated, Any, Literal

from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from pydantic import Field

from agent import arithmetic, handoffs, knowledge, transcripts
from agent.knowledge.examples import SEARCH_HELP
from agent.models import Handoff, HelpArticle
from agent.tools import Card, Example, tool
from agent.untrusted import clean_text, fence

Expression = Annotated[
    str, Field(description="Numbers and + - * / ( ), like (12.50 + 3.20) * 2", min_length=1, max_length=200)
]
Reason = Literal["asked_for_a_person", "cannot_help", "policy", "complaint", "safety"]
Summary = Annotated[
    str,
    Field(
        description="For the colleague who takes over: what the customer wants and what was found out. No guesses.",
        min_length=1,
        max_length=1000,
    ),
]
Question = Annotated[
    str,
    Field(
        description="What the customer wants to know, in their language, in a few telling words: how long refunds take",
        min_length=1,
        max_length=200,
    ),
]
HANDED_OVER = "A person will take over. Your ticket is %(ticket)s; the answer comes here, %(answer_expected)s."
HANDED_OVER_DE = "Ein Mensch übernimmt. Ihr Ticket ist %(ticket)s; die Antwort kommt hier, %(answer_expected)s."
EXCERPT_CHARS = 700
SUMMARY_CHARS = 400


@tool(
    title=_("Calculate"),
    progress=_("Calculating"),
    examples=[
        Example("How much is 25.99 + 12.50?", {"expression": "25.99 + 12.50"}, "That is %(result)s."),
        Example("What is 3 * 19.90 in all?", {"expression": "3 * 19.90"}, "That is %(result)s."),
        Example("Wie viel sind 25.99 + 12.50?", {"expression": "25.99 + 12.50"}, "Das sind %(result)s.", "de"),
    ],
)
def calculate(expression: Expression) -> dict[str, Any]:
    """Add, subtract, multiply and divide exactly. Use it for every sum or difference of amounts that you tell a
    customer. Takes numbers and + - * / ( ) only: no currency signs, no words, no percent signs."""
    try:
        return {"expression": expression, "result": f"{arithmetic.calculate(expression).normalize():f}"}
    except ValueError as error:
        return {"error": str(error)}


def _help_card(result: dict[str, Any], *, user: Any) -> Card | None:
    """The articles that the answer may rest on, each in the version that was read."""
    found = [{key: row[key] for key in ("title", "version", "link")} for row in result.get("articles", [])]
    return Card(template="agent/cards/help.html", context={"articles": found}) if found else None


@tool(title=_("Search the help"), progress=_("Reading the help pages"), card=_help_card, examples=SEARCH_HELP)
def search_help(query: Question, *, user: Any) -> dict[str, Any]:
    """Search the shop's help articles: returns, refunds, delivery, payment, gift cards, changing and cancelling orders,
    warranty, privacy, how this assistant works. Use it before you answer any question about what the shop does in
    general, and answer only with what an article says. Cite it: name the article's title and version as in `cite`,
    and give its link. Not for the state of one order and not for what the shop sells: other tools look those up.
    """
    articles = knowledge.search(query, get_language() or settings.LANGUAGE_CODE)
    if not articles:
        return {"error": "no help article speaks of this; do not guess, offer to hand over to a person"}
    best = articles[0]
    return {
        "cite": _("%(title)s, version %(version)s") % {"title": clean_text(best.title, 200), "version": best.version},
        "link": _help_link(best),
        "summary": _fenced(best, query, most=SUMMARY_CHARS),
        "articles": [
            {
                "title": clean_text(article.title, 200),
                "version": article.version,
                "slug": article.slug,
                "link": _help_link(article),
                "excerpt": _fenced(article, query, most=EXCERPT_CHARS),
            }
            for article in articles
        ],
    }


def _fenced(article: HelpArticle, query: str, *, most: int) -> str:
    """Many hands write articles: to the model they are material, like every text that is not the host's own."""
    return fence(knowledge.passage(article.body, query, limit=most), "help article")


def _help_link(article: HelpArticle) -> str:
    return settings.PUBLIC_URL.rstrip("/") + knowledge.address(article)


@tool(
    writes=True,
    gated=False,
    title=_("Hand over to a person"),
    progress=_("Asking a person to take over"),
    examples=[
        Example(
            "I want to talk to a person.",
            {"reason": "asked_for_a_person", "summary": "The customer asks for a person."},
            HANDED_OVER,
        ),
        Example(
            "Can a human help me please?",
            {"reason": "asked_for_a_person", "summary": "The customer asks for a person."},
            HANDED_OVER,
        ),
        Example(
            "Ich möchte mit einem Menschen sprechen.",
            {"reason": "asked_for_a_person", "summary": "The customer asks for a person."},
            HANDED_OVER_DE,
            "de",
        ),
    ],
)
def hand_off(reason: Reason, summary: Summary, *, conversation: Any) -> dict[str, Any]:
    """Give the conversation to a person of the shop's staff. Use it when the customer asks for a person, when no
    tool can do what they need, or when they are upset or at risk. Say that you handed over, the ticket and when an
    answer can be expected.
    Calling it again in the same conversation returns the same ticket. Not a way to look anything up."""
    ticket = handoffs.open_ticket(conversation, reason=Handoff.Reason(reason), summary=summary)
    return {
        "ticket": str(ticket),
        "status": "waiting for a person",
        "answer_comes": "in this conversation",
        "answer_expected": handoffs.answer_hours(),
    }


@tool(
    writes=True,
    gated=False,
    title=_("Send the transcript"),
    progress=_("Preparing a copy of this conversation"),
    examples=[
        Example("Send me this conversation by e-mail", {}, "A copy of this conversation is on its way to %(sent_to)s."),
        Example(
            "Can you mail me a transcript of our chat?", {}, "A copy of this conversation is on its way to %(sent_to)s."
        ),
        Example("Email me a copy of this chat please", {}, "A copy of this conversation is on its way to %(sent_to)s."),
        Example(
            "Schicken Sie mir dieses Gespräch per E-Mail",
            {},
            "Eine Kopie dieses Gesprächs ist unterwegs an %(sent_to)s.",
            "de",
        ),
        Example(
            "Ich hätte gern eine Kopie dieses Chats",
            {},
            "Eine Kopie dieses Gesprächs ist unterwegs an %(sent_to)s.",
            "de",
        ),
    ],
)
def email_transcript(*, user: Any, conversation: Any) -> dict[str, Any]:
    """Send the customer a copy of this conversation by e-mail. Use it only when they ask for one. It goes to the
    confirmed address of their own account; no other address can be given, so do not ask for one. Once an hour for a
    conversation. Not for order confirmations or invoices."""
    address = transcripts.mail_transcript(conversation, user=user)
    return {"status": "on its way", "sent_to": clean_text(address, 254)}
