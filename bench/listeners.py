"""Many browsers in one process, without a browser: `URL`, then the streams as JSON in a line, then any line to stop."""

import asyncio
import json
import re
import sys
import time
from urllib.parse import urlsplit

AT_ONCE = 50  # that open at the same moment
SETTLE_SECONDS = 2.0  # for what is still on its way when it is told to stop
ID = re.compile(rb"^id: conversation-[0-9a-f-]{36}:(\d+)")

Heard = list[tuple[int, int, float]]


class Listener:
    """One open stream."""

    def __init__(self, number: int, *, path: str, cookie: str) -> None:
        self.number, self.path, self.cookie = number, path, cookie

    async def open(self, host: str, port: int) -> None:
        """Until the server has said that the stream is open. Fails where it does not open."""
        self.reader, self.writer = await asyncio.open_connection(host, port, limit=2**20)
        head = f"GET {self.path} HTTP/1.1\r\nHost: {host}:{port}\r\nCookie: {self.cookie}\r\n\r\n"
        self.writer.write(head.encode())
        status = await self.reader.readline()
        if b" 200 " not in status:
            raise ConnectionError(f"stream {self.number}: {status!r}")
        while b"stream-open" not in await self.reader.readline():
            pass

    async def listen(self, heard: Heard) -> None:
        """Note each event's number, and when it came."""
        while line := await self.reader.readline():
            found = ID.match(line)
            if found:
                heard.append((self.number, int(found[1]), time.monotonic()))


async def main() -> None:
    """Open all, listen until told to stop, say what was heard."""
    address = urlsplit(sys.argv[1])
    host, port = address.hostname or "127.0.0.1", address.port or 80
    ways = json.loads(await asyncio.to_thread(sys.stdin.readline))
    listeners = [Listener(number, **way) for number, way in enumerate(ways)]
    heard: Heard = []
    began = time.monotonic()
    for first in range(0, len(listeners), AT_ONCE):
        await asyncio.gather(*(listener.open(host, port) for listener in listeners[first : first + AT_ONCE]))
    tasks = [asyncio.create_task(listener.listen(heard)) for listener in listeners]
    _say(time.monotonic() - began)
    await asyncio.to_thread(sys.stdin.readline)
    await asyncio.sleep(SETTLE_SECONDS)
    for task in tasks:
        task.cancel()
    _say(heard)


def _say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main())
