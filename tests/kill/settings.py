"""A worker's settings as a shop would have them, with one odd tool more; DIE_AT lets the worker die."""

import os
from pathlib import Path

from config.settings import *  # noqa: F403
from config.settings import AGENT
from tests.kill import dying

AGENT["TOOL_MODULES"] = [*AGENT["TOOL_MODULES"], "tests.kill.slow_tool"]

if "MAIL_FOLDER" in os.environ:
    AGENT["STAFF_EMAIL"] = "staff@example.com"
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = os.environ["MAIL_FOLDER"]

if "DIE_AT" in os.environ:
    dying.arm(die_at=int(os.environ["DIE_AT"]), note=Path(os.environ["DIED_AT"]))
