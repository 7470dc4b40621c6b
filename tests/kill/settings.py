"""A worker's settings as a shop would have them, with one odd tool more."""

from config.settings import *  # noqa: F403
from config.settings import AGENT

AGENT["TOOL_MODULES"] = [*AGENT["TOOL_MODULES"], "tests.kill.slow_tool"]
