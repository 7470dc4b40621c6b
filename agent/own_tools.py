"""The agent's own tools, the same in every shop."""

from typing import Annotated, Any, Literal

from django.utils.translation import gettext_lazy as _
from pydantic import Field

from agent import arithmetic, handoffs
from agent.models import Handoff
from agent.tools import Example, tool

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


@tool(
    writes=True,
    gated=False,
    title=_("Hand over to a person"),
    progress=_("Asking a person to take over"),
    examples=[
        Example(
            "I want to talk to a person.",
            {"reason": "asked_for_a_person", "summary": "The customer asks for a person."},
            "I have asked a person to take over. Your ticket is %(ticket)s; the answer comes here.",
        ),
        Example(
            "Can a human help me please?",
            {"reason": "asked_for_a_person", "summary": "The customer asks for a person."},
            "I have asked a person to take over. Your ticket is %(ticket)s; the answer comes here.",
        ),
        Example(
            "Ich möchte mit einem Menschen sprechen.",
            {"reason": "asked_for_a_person", "summary": "The customer asks for a person."},
            "Ich habe einen Menschen gebeten zu übernehmen. Ihr Ticket ist %(ticket)s; die Antwort kommt hier.",
            "de",
        ),
    ],
)
def hand_off(reason: Reason, summary: Summary, *, conversation: Any) -> dict[str, Any]:
    """Give the conversation to a person of the shop's staff. Use it when the customer asks for a person, when no
    tool can do what they need, or when they are upset or at risk. Say that you handed over and tell the ticket.
    Calling it again in the same conversation returns the same ticket. Not a way to look anything up."""
    ticket = handoffs.open_ticket(conversation, reason=Handoff.Reason(reason), summary=summary)
    return {"ticket": str(ticket), "status": "waiting for a person", "answer_comes": "in this conversation"}
