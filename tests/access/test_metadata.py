"""What the site says of its MCP server and of its authorization server, and that every address in it is there."""

from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.urls import resolve

from tests.access.program import ISSUER, RESOURCE

RESOURCE_METADATA = ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"]


@pytest.mark.parametrize("path", RESOURCE_METADATA)
def test_resource_names_itself_and_its_authorization_server(client: Client, path: str) -> None:
    answer = client.get(path)
    assert answer.json() == {
        "resource": RESOURCE, "authorization_servers": [ISSUER], "scopes_supported": ["read", "propose"],
        "bearer_methods_supported": ["header"], "resource_name": "Countersign",
    }  # fmt: skip
    assert answer["Access-Control-Allow-Origin"] == "*"


def test_authorization_server_offers_what_it_has_and_no_more(client: Client) -> None:
    metadata = client.get("/.well-known/oauth-authorization-server").json()
    assert metadata["issuer"] == ISSUER
    assert metadata["code_challenge_methods_supported"] == ["S256"]
    assert metadata["response_types_supported"] == ["code"]
    assert metadata["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert metadata["token_endpoint_auth_methods_supported"] == ["none"]
    assert metadata["scopes_supported"] == ["read", "propose"]
    assert metadata["authorization_response_iss_parameter_supported"] is True
    assert "jwks_uri" not in metadata


def test_every_address_is_one_of_this_site(client: Client) -> None:
    metadata = client.get("/.well-known/oauth-authorization-server").json()
    addresses = {name: url for name, url in metadata.items() if name.endswith("_endpoint")}
    assert len(addresses) == 4
    for name, url in addresses.items():
        assert url.startswith(ISSUER + "/"), name
        assert resolve(urlsplit(url).path).namespace == "oauth"


@pytest.mark.parametrize(
    "path", ["/.well-known/openid-configuration", "/.well-known/jwks.json", "/identity/o/authorize"]
)
def test_there_is_no_identity_provider_beside_it(client: Client, path: str) -> None:
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke", "/oauth/register"])
def test_addresses_of_programs_take_posts_alone(client: Client, path: str) -> None:
    assert client.get(path).status_code == 405


@pytest.mark.parametrize("path", RESOURCE_METADATA)
def test_a_host_that_somebody_else_names_is_not_published(client: Client, path: str) -> None:
    assert "evil" not in client.get(path, headers={"Host": "localhost", "X-Forwarded-Host": "evil.example"}).text
