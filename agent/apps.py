"""The agent as a Django application."""

from django.apps import AppConfig


class AgentAppConfig(AppConfig):
    name = "agent"
    verbose_name = "Agent"

    def ready(self) -> None:
        # Only now are all models there that the tools of the shop read.
        from agent import checks  # noqa: F401 - registers the checks
        from agent.tools import registry

        registry.load()
