"""How every player is timed: it runs once for each line it is sent, checks what is kept, and says how long it took."""

import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any


def play(run: Callable[[], Any], check: Callable[[Any], None]) -> None:
    """Until the input ends: run, and print seconds of the clock and of the processor. The check is not timed."""
    for _ in sys.stdin:
        clock, processor = time.perf_counter(), time.process_time()
        done = run()
        times = {"seconds": time.perf_counter() - clock, "processor": time.process_time() - processor}
        check(done)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        sys.stdout.write(json.dumps({**times, "megabytes": peak}) + "\n")
        sys.stdout.flush()
