"""Beginnings that a person may choose in their own program. What they fill in stays their own words."""

from dataclasses import dataclass
from typing import Any

from agent.errors import NotFound
from agent.untrusted import clean_text

VALUE_CHARS = 400


@dataclass(frozen=True)
class Prompt:
    """A beginning; `text` has a place for each argument."""

    title: str
    description: str
    text: str
    arguments: dict[str, str]  # name to what it is; all are required


_CONFIRM = "If it changes anything, propose it with the tool and show me the link: I confirm it myself, in my browser."

PROMPTS = {
    "check_order": Prompt(
        title="Where is my order?",
        description="Where an order is, and what can still be done with it.",
        text="Look up my order {order_number}. Say where it is, when it comes, and what I can still do with it. "
        "Answer only with what the tools say.",
        arguments={"order_number": "The number of the order"},
    ),
    "money_back": Prompt(
        title="Get money back",
        description="Look an order up, read what the shop's help says of refunds, and prepare one.",
        text="I want money back for my order {order_number}, because: {reason}. Look the order up and read the shop's "
        f"help on refunds first. Tell me what is possible and how long it takes. {_CONFIRM}",
        arguments={"order_number": "The number of the order", "reason": "What is wrong, in your words"},
    ),
    "ask_the_help": Prompt(
        title="Ask the shop's help",
        description="An answer from the help articles, with the article and its version.",
        text="Search the shop's help for this question: {question}. Answer only with what an article says, and name "
        "its title and version. If no article answers it, say so.",
        arguments={"question": "What you want to know"},
    ),
    "what_is_open": Prompt(
        title="What is open?",
        description="What waits for your confirmation, and which tickets wait for a person.",
        text="List what was proposed to me lately and how each stands, with the link where it waits for me, and my "
        "open tickets. Propose nothing new.",
        arguments={},
    ),
}


def listed() -> list[dict[str, Any]]:
    """All prompts, in the protocol's form."""
    return [
        {
            "name": name,
            "title": prompt.title,
            "description": prompt.description,
            "arguments": [
                {"name": key, "description": words, "required": True} for key, words in prompt.arguments.items()
            ],
        }
        for name, prompt in PROMPTS.items()
    ]


def filled(name: str, given: dict[str, str] | None) -> dict[str, Any]:
    """A prompt with its arguments, in the protocol's form. Raises NotFound, and KeyError for an argument not given."""
    prompt = PROMPTS.get(name)
    if prompt is None:
        raise NotFound("There is no such prompt.")
    values = {key: clean_text((given or {})[key], VALUE_CHARS) for key in prompt.arguments}
    text = PROMPTS[name].text.format(**values)
    return {
        "description": prompt.description,
        "messages": [{"role": "user", "content": {"type": "text", "text": text}}],
    }
