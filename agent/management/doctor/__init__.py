"""Looks at an MCP server from outside, as a program does, and says in sentences what is right and what is wrong."""

from collections.abc import Iterator

from agent.management.doctor.asking import Asker, NoAnswer
from agent.management.doctor.findings import Finding, Stop, wrong
from agent.management.doctor.metadata import check_metadata
from agent.management.doctor.session import check_challenge, check_token


def examine(address: str, *, token: str = "", seconds: float = 10.0) -> Iterator[Finding]:
    """What a program would meet at the address, in the order in which it would. Never raises for what the server does.

    The token goes to the address alone, and only where nobody can listen. A read that is made leaves a row there.
    """
    with Asker(address, token=token, seconds=seconds) as asker:
        try:
            yield from asker.check_address()
            metadata_at = yield from check_challenge(asker)
            yield from check_metadata(asker, metadata_at)
            yield from check_token(asker)
        except Stop as stop:
            yield stop.finding
        except NoAnswer as none:
            yield wrong(none.said, none.advice)
