"""The site's settings, but for the limits of a minute: the suite asks faster than any customer may."""

from config.settings import *  # noqa: F403
from config.settings import AGENT

AGENT["CALLS_A_MINUTE"] = AGENT["CLIENT_CALLS_A_MINUTE"] = 100_000
