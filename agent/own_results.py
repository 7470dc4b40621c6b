"""What the agent's own tools answer, as it is published."""

from typing_extensions import TypedDict


class Sum(TypedDict):
    """What `calculate` found; the numbers are written out exactly."""

    expression: str
    result: str


class Article(TypedDict):
    """A help article in one of its versions, and the passage that speaks of the question."""

    title: str
    version: int
    slug: str
    link: str
    excerpt: str


class Found(TypedDict):
    """What `search_help` found: how to cite the best article, where it is, what it says, and all that speak of it."""

    cite: str
    link: str
    summary: str
    articles: list[Article]


class Ticket(TypedDict):
    """A ticket as its customer is told of it. `opened` is a moment with its time zone; `text` is fenced."""

    number: str
    subject: str
    opened: str
    text: str


class Tickets(TypedDict):
    """What waits for a person; `summary` says it in the customer's language."""

    count: int
    tickets: list[Ticket]
    summary: str


class Proposal(TypedDict):
    """A proposal and how it stands. `decided` is empty while it waits, `expires_at` afterwards.

    `link` is its page, for its customer alone.
    """

    reference: str
    proposal: str
    state: str
    state_text: str
    reason: str
    proposed: str
    decided: str
    expires_at: str
    link: str


class Proposals(TypedDict):
    """What was proposed; `summary` says it in the customer's language."""

    count: int
    proposals: list[Proposal]
    summary: str


class HandedOver(TypedDict):
    """The ticket of a hand-off, and how its answer comes."""

    ticket: str
    status: str
    answer_comes: str
    answer_expected: str


class OnItsWay(TypedDict):
    """To which address a copy is sent."""

    status: str
    sent_to: str
