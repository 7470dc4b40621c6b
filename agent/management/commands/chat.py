"""Ask the agent from the terminal, as one customer; prints the answer and what waits for confirmation."""

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from agent import actions
from agent.errors import BadQuestion
from agent.models import Message
from agent.runs import run_agent_for_user


class Command(BaseCommand):
    help = "Ask the agent a question as a customer, in this process, and print its answer."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username", help="the customer's user name")
        parser.add_argument("text", help="the question")

    def handle(self, *args: Any, **options: Any) -> None:
        user = get_user_model().objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no customer called {options['username']}.")
        try:
            run = run_agent_for_user(options["text"], user=user)
        except BadQuestion as error:
            raise CommandError(str(error)) from None
        for step in run.steps.all():
            self.stdout.write(f"  {step.tool}: {step.get_outcome_display()} ({step.duration_ms} ms)")
        for said in run.messages.filter(author=Message.Author.AGENT):
            self.stdout.write(said.text)
        for action in run.actions.all():
            self.stdout.write(f"  waits for confirmation: {action.summary}\n  {actions.address(action)}")
