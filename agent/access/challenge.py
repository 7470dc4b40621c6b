"""What a caller without a good token is told: where to learn how to get one (RFC 6750, RFC 9728)."""

from django.conf import settings

from agent.access.scopes import SCOPES

RESOURCE_PATH = "/mcp"
METADATA_PATH = "/.well-known/oauth-protected-resource"
INVALID_TOKEN = "invalid_token"  # noqa: S105 - no password; with 401
INSUFFICIENT_SCOPE = "insufficient_scope"  # with 403


def resource() -> str:
    """The one audience that a token may be for: the address of the MCP server, as its clients know it."""
    return settings.PUBLIC_URL + RESOURCE_PATH


def challenge(*, error: str = "", scope: str = "") -> str:
    """The value of WWW-Authenticate. Without a scope it names all there are; without an error no token was shown."""
    parts = {
        "error": error,
        "scope": scope or " ".join(SCOPES),
        "resource_metadata": f"{settings.PUBLIC_URL}{METADATA_PATH}{RESOURCE_PATH}",
    }
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items() if value)
