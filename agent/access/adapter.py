"""What allauth's identity provider asks its host: who issues, and for which resource a token may be."""

from allauth.idp.oidc.adapter import DefaultOIDCAdapter
from allauth.idp.oidc.internal.resources import InvalidTargetError
from django.conf import settings

from agent.access.challenge import resource


class McpAuthorization(DefaultOIDCAdapter):
    """The authorization server of this site's MCP server, and of nothing else."""

    def get_issuer(self) -> str:
        return str(settings.PUBLIC_URL)

    def validate_resource_uris(self, *, uris: list[str], **kwargs: object) -> None:
        if set(uris) - {resource()}:
            raise InvalidTargetError("A token is for this site's MCP server alone.")
