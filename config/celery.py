"""Celery for this project: `celery -A config worker -P threads -c 50`. The keeper lives as long as its worker."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging, worker_ready, worker_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("countersign")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def keep_own_logging(**_: Any) -> None:
    """Having a receiver is enough: Celery then leaves the log as Django set it up."""


@worker_ready.connect
def start_keeping(**_: Any) -> None:
    from agent.runs import leases  # the models exist only now

    leases.start_keeper()


@worker_shutdown.connect
def stop_keeping(**_: Any) -> None:
    from agent.runs import leases

    leases.stop_keeper()
