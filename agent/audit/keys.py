"""The keys of the audit: the first signs, the others let older rows be verified after a change of keys."""

import hashlib
import hmac
from collections.abc import Iterator

from django.conf import settings

from agent.conf import setting


def signed(text: str) -> str:
    """The digest of a new row."""
    return _mac(next(_secrets()), text)


def is_signed(digest: str, text: str) -> bool:
    """Whether one of the keys gives that digest."""
    return any(hmac.compare_digest(digest.encode(), _mac(secret, text).encode()) for secret in _secrets())


def _secrets() -> Iterator[str]:
    yield from setting("AUDIT_KEYS")
    yield settings.SECRET_KEY
    yield from settings.SECRET_KEY_FALLBACKS


def _mac(secret: str, text: str) -> str:
    key = hashlib.sha256(b"countersign.audit" + secret.encode()).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
