"""The site: its key, where it listens, under which names it is reached, and what it writes down."""

import ipaddress
import re
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from config.env.reader import Reader

PLACEHOLDER = re.compile(r"change.?(me|this)|replace.?(me|this)|placeholder|your.?secret|django-insecure|^<.*>$", re.I)


def read(reader: Reader) -> dict[str, Any]:
    debug = reader.flag("DEBUG")
    port = reader.number("PORT", 8000, high=65535)
    public_url = _public_url(reader, port=port)
    if debug and not is_loopback(urlsplit(public_url).hostname or ""):
        reader.problems.append(
            "DEBUG is for development alone, it shows settings to strangers: set DEBUG to 0, "
            "or PUBLIC_URL to an address of this machine."
        )
    return {
        "debug": debug,
        "secret_key": _secret_key(reader, debug=debug),
        "secret_key_fallbacks": _keys(reader, "SECRET_KEY_FALLBACKS"),
        "audit_keys": _keys(reader, "AUDIT_KEY") + _keys(reader, "AUDIT_KEY_FALLBACKS"),
        "host": reader.text("HOST", "127.0.0.1"),
        "port": port,
        "public_url": public_url,
        "allowed_hosts": _allowed_hosts(reader, public_url=public_url),
        "forwarded_allow_ips": _proxies(reader),
        "staff_second_factor": reader.flag("STAFF_SECOND_FACTOR", public_url.startswith("https:")),
        "time_zone": _time_zone(reader),
        "static_from_source": debug or reader.flag("STATIC_FROM_SOURCE"),
        "log_format": reader.choice("LOG_FORMAT", {"json", "text"}, default="text" if debug else "json"),
        "log_level": reader.choice("LOG_LEVEL", {"DEBUG", "INFO", "WARNING", "ERROR"}, default="INFO"),
    }


def is_loopback(host: str) -> bool:
    """Whether the name or address means this machine, for whoever asks."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _secret_key(reader: Reader, *, debug: bool) -> str:
    key = reader.text("SECRET_KEY", "a-key-for-development-alone" if debug else "")
    if not debug and (len(key) < 16 or PLACEHOLDER.search(key)):
        state = "a placeholder or too short" if key else "not set"
        reader.problems.append(
            f"SECRET_KEY is {state}: set it to a long random text, such as the output of "
            "`python -c 'import secrets; print(secrets.token_urlsafe(50))'`."
        )
    return key


def _keys(reader: Reader, name: str) -> list[str]:
    """Keys, separated by commas. The values are never repeated."""
    found = [key.strip() for key in reader.text(name).split(",") if key.strip()]
    if any(len(key) < 16 or PLACEHOLDER.search(key) for key in found):
        reader.problems.append(f"{name} holds a placeholder or a key of fewer than 16 characters.")
    return found


def _public_url(reader: Reader, *, port: int) -> str:
    """Where customers reach the shop: scheme and host, without a slash at the end."""
    default = f"http://127.0.0.1:{port}"
    url = reader.url("PUBLIC_URL", {"http", "https"}, default=default).rstrip("/")
    parts = urlsplit(url)
    if not parts.hostname or parts.path or parts.query or parts.fragment or parts.username:
        reader.problems.append(
            "PUBLIC_URL holds more or less than scheme and host: write it like https://shop.example."
        )
    return url


def _allowed_hosts(reader: Reader, *, public_url: str) -> list[str]:
    """The hosts that are listed, else the one of PUBLIC_URL and this machine's own names."""
    listed = [host.strip() for host in reader.text("ALLOWED_HOSTS").split(",") if host.strip()]
    for host in listed:
        if "/" in host or " " in host or ("*" in host and host != "*"):
            reader.problems.append(f"ALLOWED_HOSTS has {host!r}: list host names with commas, without scheme or path.")
    own = urlsplit(public_url).hostname or "localhost"
    return listed or list(dict.fromkeys([own, "localhost", "127.0.0.1", "[::1]"]))


def _proxies(reader: Reader) -> str:
    """The addresses and networks of the proxies that are believed, with commas."""
    listed = [name.strip() for name in reader.text("FORWARDED_ALLOW_IPS").split(",") if name.strip()]
    for name in listed:
        try:
            ipaddress.ip_network(name)
        except ValueError:
            reader.problems.append(
                f"FORWARDED_ALLOW_IPS has {name!r}: list the addresses or networks of your proxies with commas, "
                "such as 10.0.0.7 or 10.0.0.0/24; whoever is believed can pretend to be anybody."
            )
    return ",".join(listed)


def _time_zone(reader: Reader) -> str:
    zone = reader.text("TIME_ZONE", "UTC")
    if zone not in available_timezones():
        reader.problems.append(f"TIME_ZONE is {zone!r}: write one like Europe/Berlin.")
    return zone
