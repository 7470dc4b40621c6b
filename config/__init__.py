"""The site: settings, addresses and the programs that serve it. No application imports from here."""

# Tasks are found through the application that exists whenever Django does.
from config.celery import app as celery_app

__all__ = ["celery_app"]
