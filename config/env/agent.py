"""The agent: the model's service, the limits of a run, and what it may reach."""

from typing import Any
from urllib.parse import urlsplit

from agent.errors import PageNotRead
from agent.untrusted.addresses import host_of
from config.env.reader import Reader


def read(reader: Reader) -> dict[str, Any]:
    keys = {name: reader.text(name.upper()) for name in ("anthropic_api_key", "openai_api_key")}
    urls = {name: reader.url(name.upper(), {"http", "https"}) for name in ("anthropic_base_url", "openai_base_url")}
    default = "anthropic" if keys["anthropic_api_key"] else "demo"
    provider = reader.choice("AGENT_PROVIDER", {"anthropic", "openai", "demo"}, default=default)
    fallback = reader.choice("AGENT_FALLBACK_PROVIDER", {"anthropic", "openai", "none"}, default="none")
    has_fallback = fallback != "none"
    # Responses is OpenAI's own; chat completions is what every compatible server speaks.
    own = urlsplit(urls["openai_base_url"]).hostname in (None, "api.openai.com")
    return {
        **keys,
        **urls,
        "openai_api": reader.choice("OPENAI_API", {"responses", "chat"}, default="responses" if own else "chat"),
        "agent_provider": provider,
        "agent_model": _model(reader, "AGENT", provider, known=keys | urls),
        "agent_fallback_provider": fallback if has_fallback else "",
        "agent_fallback_model": _model(reader, "AGENT_FALLBACK", fallback, known=keys | urls) if has_fallback else "",
        "agent_max_steps": reader.number("AGENT_MAX_STEPS", 16, high=100),
        "agent_lease_seconds": reader.number("AGENT_LEASE_SECONDS", 20, high=600),
        "agent_run_seconds": reader.number("AGENT_RUN_SECONDS", 120, high=3600),
        "agent_confirm_minutes": reader.number("AGENT_CONFIRM_MINUTES", 15, high=10_080),
        "agent_read_hosts": _read_hosts(reader),
        "mcp_clients": reader.choice("MCP_CLIENTS", {"any", "documents", "listed"}, default="any"),
    }


def _model(reader: Reader, prefix: str, provider: str, *, known: dict[str, str]) -> str:
    """The model of a provider; what that provider needs beside is complained of where it is missing."""
    usual = {"anthropic": "claude-sonnet-5-5", "demo": "demo"}
    model = reader.text(f"{prefix}_MODEL", usual.get(provider, ""))
    if provider == "anthropic" and not known["anthropic_api_key"]:
        reader.problems.append(f"{prefix}_PROVIDER is anthropic, which needs a key: set ANTHROPIC_API_KEY.")
    if provider == "openai" and not (known["openai_api_key"] or known["openai_base_url"]):
        reader.problems.append(
            f"{prefix}_PROVIDER is openai: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of yours."
        )
    if provider == "openai" and not model:
        reader.problems.append(f"{prefix}_PROVIDER is openai: set {prefix}_MODEL to the name of the model.")
    return model


def _read_hosts(reader: Reader) -> list[str]:
    """The hosts whose public pages the agent may read, as they are looked up."""
    hosts = []
    for name in filter(None, map(str.strip, reader.text("AGENT_READ_HOSTS").split(","))):
        try:
            hosts.append(host_of(name))
        except PageNotRead:
            reader.problems.append(
                f"AGENT_READ_HOSTS has {name!r}: list host names with commas, without scheme, port or path; "
                "no IP addresses."
            )
    return hosts
