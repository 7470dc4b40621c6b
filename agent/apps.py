"""The agent as a Django application."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class AgentAppConfig(AppConfig):
    name = "agent"
    verbose_name = "Agent"

    def ready(self) -> None:
        # Only now are all models there that the tools of the shop read.
        from agent import checks, flags  # noqa: F401 - importing checks registers them
        from agent.tools import registry

        registry.load()
        post_migrate.connect(flags.make_switches, sender=self)
