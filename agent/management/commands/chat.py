"""Talk to the agent from the terminal, as one customer, and see it work. Nothing can be confirmed here."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from agent.errors import BadQuestion, TooMuch
from agent.management.people import person
from agent.management.terminal import Talk

PROMPT = "> "


class Command(BaseCommand):
    help = "Ask the agent as a customer, in this process: one question, or without one a conversation until Ctrl-D."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="the customer's user name or e-mail address")
        parser.add_argument("text", nargs="?", help="the question; without it one after another is read")

    def handle(self, *args: Any, **options: Any) -> None:
        talk = Talk(person(options["username"]))
        if options["text"] is not None:
            try:
                self._answer(talk, options["text"])
            except (BadQuestion, TooMuch) as error:
                raise CommandError(str(error)) from None
            return
        self._line("Ask, and press Enter. Ctrl-C stops an answer, Ctrl-D ends the conversation.\n")
        while (question := self._question()) is not None:
            try:
                self._answer(talk, question)
            except (BadQuestion, TooMuch) as error:
                self._line(f"  {error}")

    def _question(self) -> str | None:
        """What the customer types; None where they are done."""
        try:
            if sys.stdin.isatty():
                return input(PROMPT)
            line = sys.stdin.readline()
            return line.rstrip("\n") if line else None
        except (EOFError, KeyboardInterrupt):
            return None

    def _answer(self, talk: Talk, question: str) -> None:
        for line in talk.ask(question):
            self._line(line)

    def _line(self, text: str) -> None:
        """Written at once, also where the output is no terminal."""
        self.stdout.write(text)
        self.stdout.flush()
