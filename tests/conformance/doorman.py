"""The suite sends no token. This hands its requests on to the site with one, and leaves everything else as it is."""

import http.client
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

OF_ONE_CONNECTION = {"connection", "keep-alive", "transfer-encoding", "content-length"}


@contextmanager
def with_token(url: str, token: str) -> Iterator[str]:
    """The address of a server on the loopback that adds the token, until the block ends."""
    address = urlsplit(url)

    class Doorman(BaseHTTPRequestHandler):
        def _hand_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            site = http.client.HTTPConnection(str(address.hostname), address.port, timeout=60)
            site.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():  # Host too: the suite sends foreign ones
                if name.lower() not in OF_ONE_CONNECTION | {"authorization"}:
                    site.putheader(name, value)
            site.putheader("Authorization", f"Bearer {token}")
            site.putheader("Content-Length", str(len(body)))
            site.endheaders(body)
            self._answer(site.getresponse())
            site.close()

        def _answer(self, answer: http.client.HTTPResponse) -> None:
            body = answer.read()
            self.send_response_only(answer.status, answer.reason)
            for name, value in answer.getheaders():
                if name.lower() not in OF_ONE_CONNECTION:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET = do_DELETE = do_OPTIONS = _hand_on

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Doorman)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
