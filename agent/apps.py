"""The agent as a Django application."""

from typing import ClassVar

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AgentAppConfig(AppConfig):
    name = "agent"
    verbose_name = "Agent"
    # Whose a row is: see agent.rowsecurity. What is not named here no tool can read on PostgreSQL.
    rows_of_customers: ClassVar[dict[str, str | None]] = {
        "Conversation": "user",
        "AgentRun": "user",
        "PendingAction": "user",
        "Handoff": "conversation",
        "HelpArticle": None,
    }

    def ready(self) -> None:
        # Only now are all models there that the tools of the shop read.
        from agent import audit, checks, flags, roles, rowsecurity  # noqa: F401 - importing checks registers them
        from agent.tools import registry

        registry.load()
        post_migrate.connect(flags.make_switches, sender=self)
        post_migrate.connect(roles.make_roles)  # with every application: a role may hold another's permission
        post_migrate.connect(audit.grant_after_migrations, sender=self)
        post_migrate.connect(rowsecurity.protect, sender=self)
