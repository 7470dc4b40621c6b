"""The site as an application: it has no rows, it only looks after how it is started."""

from django.apps import AppConfig


class SiteConfig(AppConfig):
    name = "config"
    verbose_name = "Site"

    def ready(self) -> None:
        from config import checks  # noqa: F401 - registers the checks, once Django can take them
