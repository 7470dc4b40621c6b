"""The site as an application: it has no rows, it only looks after how it is started."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class SiteConfig(AppConfig):
    name = "config"
    verbose_name = "Site"

    def ready(self) -> None:
        from allauth.mfa.signals import authentication_failed

        from config import accounts, checks, deployment  # noqa: F401 - registers the checks, once Django can take them

        authentication_failed.connect(accounts.keep_failed_code)


class AdminConfig(admin_apps.AdminConfig):
    """Django's admin, behind the second factor where the review is."""

    default_site = "config.accounts.StaffSite"
