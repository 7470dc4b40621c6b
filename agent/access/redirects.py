"""Where a program may be sent back to once a customer has answered it, and how that place is called on a page."""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from agent.errors import ClientRefused

MOST = 10  # addresses of one program
_LONGEST = 500
_CHARACTERS = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&()*+=%]+")  # no quote, comma, semicolon, space or fragment
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")
LOOPBACK = ("127.0.0.1", "::1", "localhost")
# RFC 8252 asks an app for a scheme with a dot in it, its own domain backwards. These are well known without one.
_KNOWN_SCHEMES = {"cursor", "vscode", "vscode-insiders", "windsurf", "zed", "claude"}
_OWN_SCHEME = re.compile(r"[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+")


@dataclass(frozen=True)
class Landing:
    """Where the customer's browser goes next. `name` is a host or the scheme of an app; empty: this very device."""

    name: str
    is_web: bool
    csp_source: str  # what a policy has to allow, so that the form may lead there


def check_redirect_uri(uri: object) -> None:
    """Raises ClientRefused for everything but https, http on this device, and an app's own scheme."""
    if not isinstance(uri, str) or len(uri) > _LONGEST or not _CHARACTERS.fullmatch(uri) or "*" in uri:
        raise ClientRefused("A redirect URI has characters that it may not have.", code="invalid_redirect_uri")
    try:
        parts = urlsplit(uri)
        port_is_good = parts.port != 0
    except ValueError:
        port_is_good = False
    if not port_is_good or parts.username is not None or parts.password is not None or not _is_allowed(parts):
        raise ClientRefused(
            "A redirect URI begins with https://, with http:// and a loopback address, or with an app's own scheme.",
            code="invalid_redirect_uri",
        )


def _is_allowed(parts: SplitResult) -> bool:
    if parts.scheme == "https":
        return bool(parts.hostname and _HOST.fullmatch(parts.hostname))
    if parts.scheme == "http":
        return parts.hostname in LOOPBACK
    return parts.scheme in _KNOWN_SCHEMES or bool(_OWN_SCHEME.fullmatch(parts.scheme))


def landing(uri: str) -> Landing:
    """Of a redirect URI that was checked."""
    parts = urlsplit(uri)
    if parts.scheme not in ("http", "https"):
        return Landing(name=parts.scheme, is_web=False, csp_source=f"{parts.scheme}:")
    # A policy has no way to write an IPv6 address.
    source = "http:" if parts.hostname == "::1" else f"{parts.scheme}://{parts.netloc}"
    if parts.hostname in LOOPBACK:
        return Landing(name="", is_web=False, csp_source=source)
    return Landing(name=parts.netloc, is_web=True, csp_source=source)


def with_any_port(uris: list[str], *, asked: str) -> list[str]:
    """The addresses of a program, and the one asked for if it differs from one of them only by localhost's port.

    A program that listens on its own device gets its port late (RFC 8252, 7.3). allauth allows it for 127.0.0.1 and
    ::1; many programs write localhost.
    """
    if any(_without_port(uri) == _without_port(asked) for uri in uris if _is_localhost(uri)) and _is_localhost(asked):
        return [*uris, asked]
    return uris


def _is_localhost(uri: str) -> bool:
    return bool(re.match(r"http://localhost(:[0-9]{1,5})?(/|\?|$)", uri))


def _without_port(uri: str) -> str:
    return re.sub(r"^http://localhost(:[0-9]{1,5})?", "http://localhost", uri)
