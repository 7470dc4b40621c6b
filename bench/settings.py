"""The shop's settings, with the one tool that is measured beside its own, or alone."""

import os

from config.settings import *  # noqa: F403
from config.settings import AGENT

TOOL = "bench.tools"
AGENT["TOOL_MODULES"] = [TOOL] if os.environ.get("BENCH_TOOL_ALONE") else [*AGENT["TOOL_MODULES"], TOOL]
if os.environ.get("BENCH_TOOL_ALONE"):
    from bench.peers.parcels import SYSTEM

    AGENT["SYSTEM_PROMPT"] = SYSTEM  # what the peers are told
