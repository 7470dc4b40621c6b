"""Addresses of the authorization server, and what is known of it and of the MCP server."""

from django.urls import path

from agent.access.challenge import METADATA_PATH, RESOURCE_PATH
from agent.views import oauth

app_name = "oauth"

urlpatterns = [
    path("oauth/authorize", oauth.authorize, name="authorize"),
    path("oauth/token", oauth.token, name="token"),
    path("oauth/revoke", oauth.revoke, name="revoke"),
    path("oauth/register", oauth.register, name="register"),
    path(".well-known/oauth-authorization-server", oauth.server_metadata, name="server_metadata"),
    path(METADATA_PATH[1:], oauth.resource_metadata, name="resource_metadata_of_host"),
    path(METADATA_PATH[1:] + RESOURCE_PATH, oauth.resource_metadata, name="resource_metadata"),
]
