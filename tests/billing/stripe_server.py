"""A small, strict Stripe over real HTTP: refunds of payment intents, with idempotency keys that work as Stripe's do.

    with StripeServer(pi_1=6320) as stripe:
        settings.BILLING |= stripe.settings()

It keeps the account of what was really paid back (`effects`) and fails on demand: each POST that is no repetition
takes the next of `faults`. A request that Stripe would refuse is refused, and `refused` says why.
"""

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

API_KEY = "sk_test_51CountersignTests"
PATIENCE_SECONDS = 0.3  # of the client
HANG_LIMIT_SECONDS = 10.0
PARAMETERS = {
    "POST": {"payment_intent", "amount", "metadata[countersign_key]"},
    "GET": {"payment_intent", "limit", "starting_after"},
}
# What a fault does: whether the refund is made before it, and what the client sees then.
SILENT = {"timeout_before", "timeout_after", "cut_before", "cut_after"}
ACTS = {"timeout_after", "cut_after", "error_after", "pending", "made_failed"}


class Refused(Exception):
    """A request that Stripe answers with an error: status, type, code and parameter."""

    def __init__(self, status: int, kind: str = "invalid_request_error", *, code: str = "", param: str = "") -> None:
        super().__init__(kind, code, param)
        self.status = status
        self.body = {"error": {"type": kind, "code": code or None, "param": param or None, "message": f"{kind} {code}"}}


@dataclass
class Kept:
    """What a key stands for: the request that came first and, once there is one, its answer."""

    body: str
    answer: tuple[int, dict[str, Any]] | None = None


@dataclass
class StripeServer:
    """Listens on a free port of the loopback while it is entered."""

    payments: dict[str, int] = field(default_factory=dict)  # payment intent -> captured, in minor units
    faults: list[str] = field(default_factory=list)
    is_down: bool = False  # every request is answered with 500
    refunds: list[dict[str, Any]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    requests: list[tuple[str, str]] = field(default_factory=list)  # method, idempotency key
    keys: dict[str, Kept] = field(default_factory=dict)
    closing: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __enter__(self) -> Self:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.owner = self  # type: ignore[attr-defined]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def settings(self) -> dict[str, Any]:
        """What settings.BILLING needs for its card payments to come here."""
        base = f"http://127.0.0.1:{self._server.server_address[1]}"
        own = {"API_KEY": API_KEY, "API_BASE": base, "TIMEOUT": PATIENCE_SECONDS}
        return {"GATEWAYS": {"credit_card": "stripe"}, "STRIPE": own}

    @property
    def effects(self) -> list[tuple[str, int]]:
        """What was paid back: payment intent and amount, in order. A refund that failed is none."""
        gone = ("failed", "canceled")
        return [(row["payment_intent"], row["amount"]) for row in self.refunds if row["status"] not in gone]

    def posts(self) -> list[str]:
        """The keys of the requests for a refund, in order."""
        return [key for method, key in self.requests if method == "POST"]

    def forget_keys(self) -> None:
        """What Stripe may do after a day."""
        with self.lock:
            self.keys.clear()

    def end(self, status: str) -> None:
        """A refund that was pending becomes final."""
        with self.lock:
            for row in self.refunds:
                row["status"] = status if row["status"] == "pending" else row["status"]

    # --- What a request does -----------------------------------------------------------------------------------

    def answer(self, method: str, path: str, query: str, body: str, headers: Any) -> tuple[int, dict[str, Any]] | None:
        """Status and body; None for a silence."""
        self.requests.append((method, headers.get("Idempotency-Key") or ""))
        try:
            if self.is_down:
                raise Refused(500, "api_error")
            given = self._checked(method, path, query if method == "GET" else body, headers)
            return self._listed(given) if method == "GET" else self._once(headers["Idempotency-Key"], body, given)
        except Refused as refused:
            if refused.status < 500:
                self.refused.append(" ".join(str(part) for part in refused.args if part))
            return refused.status, refused.body

    def _checked(self, method: str, path: str, text: str, headers: Any) -> dict[str, str]:
        if path != "/v1/refunds":
            raise Refused(404, code="url_invalid")
        if headers.get("Authorization") != f"Bearer {API_KEY}":
            raise Refused(401, code="api_key_invalid")
        if not headers.get("Stripe-Version"):
            raise Refused(400, code="version_missing")
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text))
        given = dict(pairs)
        for name in sorted(given.keys() - PARAMETERS[method]):
            raise Refused(400, code="parameter_unknown", param=name)
        if len(pairs) != len(given) or not given.get("payment_intent"):
            raise Refused(400, code="parameter_missing", param="payment_intent")
        if method == "POST" and not 0 < len(headers.get("Idempotency-Key") or "") <= 255:
            raise Refused(400, code="idempotency_key_missing")
        if given["payment_intent"] not in self.payments:
            raise Refused(404, code="resource_missing", param="payment_intent")
        return given

    def _once(self, key: str, body: str, given: dict[str, str]) -> tuple[int, dict[str, Any]] | None:
        with self.lock:
            kept = self.keys.get(key)
            if kept is not None and kept.body != body:
                raise Refused(400, "idempotency_error")
            if kept is not None and kept.answer is None:
                raise Refused(409, code="idempotency_key_in_use")
            if kept is not None:
                return kept.answer
            fault = self.faults.pop(0) if self.faults else ""
            if fault == "rate_limit":  # before anything begins: nothing is kept
                raise Refused(429, code="rate_limit")
            kept = self.keys[key] = Kept(body)
            try:
                kept.answer = self._done(given, fault)
            except Refused as refused:
                kept.answer = (refused.status, refused.body)
                self.refused.append(" ".join(str(part) for part in refused.args if part))
            answer = kept.answer
            if fault in ("timeout_before", "cut_before"):  # the request never arrived
                del self.keys[key]
        if fault.startswith("timeout"):
            self.closing.wait(HANG_LIMIT_SECONDS)
        return None if fault in SILENT else answer

    def _done(self, given: dict[str, str], fault: str) -> tuple[int, dict[str, Any]]:
        if not fault or fault in ACTS:
            status = {"pending": "pending", "made_failed": "failed"}.get(fault, "succeeded")
            made = self._made(given, status=status)
            return (500, Refused(500, "api_error").body) if fault == "error_after" else (200, made)
        if fault == "card_error":
            raise Refused(402, "card_error", code="card_declined")
        return 500, Refused(500, "api_error").body

    def _made(self, given: dict[str, str], *, status: str) -> dict[str, Any]:
        text, payment = given.get("amount", ""), given["payment_intent"]
        if not (text.isascii() and text.isdigit() and int(text) > 0):
            raise Refused(400, code="parameter_invalid_integer", param="amount")
        left = self.payments[payment] - sum(amount for known, amount in self.effects if known == payment)
        if int(text) > left:
            raise Refused(400, code="amount_too_large" if left else "charge_already_refunded", param="amount")
        made = {
            "id": f"re_{len(self.refunds) + 1}",
            "object": "refund",
            "amount": int(text),
            "currency": "eur",
            "payment_intent": payment,
            "status": status,
            "metadata": {"countersign_key": given.get("metadata[countersign_key]", "")},
        }
        self.refunds.append(made)
        return dict(made)

    def _listed(self, given: dict[str, str]) -> tuple[int, dict[str, Any]]:
        """Newest first, in pages. Two at most a page, so that whoever reads only the first is found out."""
        with self.lock:
            rows = [dict(row) for row in reversed(self.refunds) if row["payment_intent"] == given["payment_intent"]]
        if not 1 <= int(given.get("limit", "10")) <= 100:
            raise Refused(400, code="parameter_invalid_integer", param="limit")
        ids = [row["id"] for row in rows]
        if given.get("starting_after"):
            rows = rows[ids.index(given["starting_after"]) + 1 :]
        page = rows[:2]
        return 200, {"object": "list", "url": "/v1/refunds", "has_more": len(rows) > len(page), "data": page}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("content-length") or 0)).decode())

    def do_GET(self) -> None:
        self._answer("")

    def _answer(self, body: str) -> None:
        owner: StripeServer = self.server.owner  # type: ignore[attr-defined]
        address = urlsplit(self.path)
        answer = owner.answer(self.command, address.path, address.query, body, self.headers)
        if answer is None:
            self.close_connection = True
            return
        status, content = answer
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("request-id", "req_test")
        self.end_headers()
        self.wfile.write(data)

    def handle_one_request(self) -> None:
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True  # the client has hung up

    def log_message(self, format: str, *args: Any) -> None:
        """Tests print nothing."""
