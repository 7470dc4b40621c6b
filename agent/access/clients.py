"""Programs that may ask a customer for access: registered by themselves, by a document of theirs, or by the shop.

Each is a public client: it has no secret, and proves by PKCE that the one who asked is the one who redeems.
"""

import time
from datetime import timedelta
from typing import Any

from allauth.idp.oidc.models import Client
from django.contrib.auth.hashers import make_password
from django.utils import timezone

from agent import limits
from agent.access import documents
from agent.access.redirects import MOST, check_redirect_uri, landing
from agent.access.scopes import SCOPES
from agent.conf import setting
from agent.errors import ClientRefused
from agent.untrusted import clean_text

GRANTS = ("authorization_code", "refresh_token")
ANYBODY, WITH_DOCUMENT, LISTED = "any", "documents", "listed"  # AGENT["MCP_CLIENTS"]: who may ask
NAME_CHARACTERS = 60
_FRESH_SECONDS = 60 * 60  # a document is not looked at again before
_USABLE_SECONDS = 24 * 60 * 60  # and is still believed so long where it cannot be had
_UNUSED = timedelta(days=1)  # after that a registration that no customer granted anything is dropped


def register(metadata: Any, *, address: str) -> Client:
    """A new program as it describes itself (RFC 7591). Raises ClientRefused, TooMuch.

    What it says of grants, scopes and its authentication is replaced by the only ones there are, as that RFC allows.
    """
    limits.count_registration(address)
    name, redirect_uris = described(metadata)
    _drop_unused()
    client = _public_client(name=name, redirect_uris=redirect_uris, data={"dcr": True})
    client.save(force_insert=True)
    return client


def registered(client: Client) -> dict[str, Any]:
    """What a program is told of its registration."""
    return {
        "client_id": client.pk,
        "client_id_issued_at": int(client.created_at.timestamp()),
        "client_name": client.name,
        "redirect_uris": client.get_redirect_uris(),
        "grant_types": list(GRANTS),
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
        "scope": " ".join(SCOPES),
    }


def client_named(client_id: str, *, user: Any) -> Client | None:
    """The program of that id. One whose id is the address of a document is looked up there. Raises ClientRefused."""
    client = Client.objects.filter(pk=client_id).first()
    if not client_id.startswith("https://"):
        return client
    if setting("MCP_CLIENTS") == LISTED or len(client_id) > Client._meta.pk.max_length:
        return client
    age = time.time() - ((client and client.data) or {}).get("updated_at", 0)
    if client and age < _FRESH_SECONDS:
        return client
    limits.count_page(user)
    try:
        found = _documented(client_id)
    except ClientRefused:
        if client and age < _USABLE_SECONDS:
            return client
        raise
    _keep(found)
    return found


def described(metadata: Any) -> tuple[str, list[str]]:
    """The name and the redirect URIs in a description of whatever shape. Raises ClientRefused."""
    if not isinstance(metadata, dict):
        raise ClientRefused("The description of a program is a JSON object.")
    uris = metadata.get("redirect_uris")
    if not isinstance(uris, list) or not 1 <= len(uris) <= MOST:
        raise ClientRefused(f"redirect_uris is a list of 1 to {MOST} addresses.", code="invalid_redirect_uri")
    for uri in uris:
        check_redirect_uri(uri)
    for field, needed in (("grant_types", "authorization_code"), ("response_types", "code")):
        said = metadata.get(field)
        if said is not None and not (isinstance(said, list) and needed in said):
            raise ClientRefused(f"{field} has to contain {needed}.")
    name = metadata.get("client_name", "")
    name = " ".join(clean_text(name).split())[:NAME_CHARACTERS] if isinstance(name, str) else ""
    return name or landing(uris[0]).name or "MCP client", uris


def _documented(url: str) -> Client:
    document = documents.read_document(url)
    if document.get("token_endpoint_auth_method", "none") != "none":
        raise ClientRefused("The program's document asks for a way to prove itself that there is not here.")
    name, redirect_uris = described(document)
    client = _public_client(name=name, redirect_uris=redirect_uris, data={"cimd": True, "updated_at": int(time.time())})
    client.pk = url
    return client


def _keep(client: Client) -> None:
    """As it describes itself now. Two customers may let a program in that is new here in the same moment."""
    fields = [field.name for field in Client._meta.concrete_fields if not field.primary_key]
    Client.objects.bulk_create([client], update_conflicts=True, unique_fields=["id"], update_fields=fields)


def _public_client(*, name: str, redirect_uris: list[str], data: dict[str, Any]) -> Client:
    client = Client(name=name, type=Client.Type.PUBLIC, secret=make_password(None), data=data)
    client.set_redirect_uris(redirect_uris)
    client.set_grant_types(list(GRANTS))
    client.set_response_types(["code"])
    client.set_scopes(list(SCOPES))
    client.set_default_scopes(list(SCOPES))
    return client


def _drop_unused() -> None:
    Client.objects.filter(data__dcr=True, created_at__lt=timezone.now() - _UNUSED, token=None).delete()
