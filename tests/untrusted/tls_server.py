"""A server of pages over real TLS on the loopback, and an internet whose every address leads to it.

    with PageServer() as server:
        server.pages["/help"] = Reply(b"<p>Hello.")
        fetch("https://shop.example/help", hosts=["shop.example"], through=server.internet())

The checks of addresses are the real ones: the resolver answers with public addresses, and only the last step, from
the address that was checked to the socket, is turned round. `server.connected` tells to which addresses.
"""

import contextlib
import ipaddress
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from httpcore2 import NetworkBackend, NetworkStream, SyncBackend

from agent.untrusted.connecting import Internet

PUBLIC = "93.184.216.34"
NAMES = ("shop.example", "help.shop.example", "xn--bcher-kva.example")
LAST_PIECES = 10_000  # a body without end ends here, should nobody hang up


@dataclass
class Reply:
    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/html; charset=utf-8"})
    raw: Iterable[bytes] | None = None  # the whole answer as it goes over the wire, in place of all above


def moved(to: str, *, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": to})


class Turned(NetworkBackend):
    """The real backend, but for where it goes."""

    def __init__(self, server: "PageServer") -> None:
        self._server = server

    def connect_tcp(self, host: str, port: int, **options: Any) -> NetworkStream:  # type: ignore[override]
        assert ipaddress.ip_address(host), "a name was left to be looked up a second time"
        self._server.connected.append(f"{host}:{port}")
        if host in self._server.dead:
            return SyncBackend().connect_tcp("127.0.0.1", self._server.closed_port, **options)
        return SyncBackend().connect_tcp("127.0.0.1", self._server.port, **options)


class PageServer:
    """Listens on a free port of the loopback while it is entered."""

    def __init__(self) -> None:
        self.pages: dict[str, Reply] = {}
        self.requests: list[str] = []  # each whole, as it came
        self.connected: list[str] = []
        self.dead: set[str] = set()  # addresses where nobody answers
        self.hung_up = threading.Event()  # somebody left before the end of a reply
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        spare = socket.create_server(("127.0.0.1", 0))
        self.closed_port = spare.getsockname()[1]
        spare.close()

    def __enter__(self) -> Self:
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._socket.close()

    def internet(self, *answers: list[str], look_up: Callable[[str], list[str]] | None = None) -> Internet:
        """Through it each name has the public address; or `answers`, one a lookup, the last one from then on."""
        left = list(answers) or [[PUBLIC]]

        def found(host: str) -> list[str]:
            return left.pop(0) if len(left) > 1 else left[0]

        context = ssl.create_default_context(cadata=authority()[0])
        return Internet(look_up=look_up or found, backend=Turned(self), tls=context)

    def _serve(self) -> None:
        while True:
            try:
                taken, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(taken,), daemon=True).start()

    def _answer(self, taken: socket.socket) -> None:
        taken.settimeout(10)
        with contextlib.suppress(OSError), server_context().wrap_socket(taken, server_side=True) as wire:
            request = b""
            while b"\r\n\r\n" not in request and (piece := wire.recv(65536)):
                request += piece
            self.requests.append(request.decode("latin-1"))
            path = request.split(b" ")[1].decode("latin-1") if b" " in request else ""
            try:
                for piece in _wired(self.pages.get(path, Reply(b"<p>None.", status=404))):
                    wire.sendall(piece)
            except OSError:
                self.hung_up.set()


def _wired(reply: Reply) -> Iterator[bytes]:
    if reply.raw is not None:
        yield from reply.raw
        return
    headers = {"Content-Length": str(len(reply.body)), **reply.headers}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    yield f"HTTP/1.1 {reply.status} OK\r\n{head}\r\n".encode("latin-1") + reply.body


@cache
def authority(*, is_known: bool = True) -> tuple[str, Any, Any]:
    """The certificate of an authority as PEM, itself, and its key. The one that is not known signs as well."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, f"Test authority {is_known}")])
    certificate = (
        _begun(name, name, key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(_usage(signs=True), critical=True)
        .sign(key, hashes.SHA256())
    )
    return certificate.public_bytes(serialization.Encoding.PEM).decode("ascii"), certificate, key


def _begun(name: x509.Name, issuer: x509.Name, key: Any) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs, key_cert_sign=signs, crl_sign=signs, content_commitment=False,
        key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip


@cache
def server_context() -> ssl.SSLContext:
    return make_context(authority())


def make_context(signer: tuple[str, Any, Any], *, names: tuple[str, ...] = NAMES) -> ssl.SSLContext:
    """A server's context with a certificate for the names."""
    _, issuer, issuer_key = signer
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    certificate = (
        _begun(name, issuer.subject, key.public_key())
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(each) for each in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
        .add_extension(_usage(signs=False), critical=True)
        .sign(issuer_key, hashes.SHA256())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with _written(certificate, key) as path:
        context.load_cert_chain(path)
    return context


@contextlib.contextmanager
def _written(certificate: Any, key: Any) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "server.pem"
        path.write_bytes(
            certificate.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        yield path
