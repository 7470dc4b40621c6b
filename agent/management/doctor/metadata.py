"""The two documents that lead a program from the server to its sign-in (RFC 9728, RFC 8414)."""

from collections.abc import Generator, Iterator
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from agent.management.doctor.asking import Answer, Asker, NoAnswer, is_address, is_private, quoted, unexpected
from agent.management.doctor.findings import Finding, left_open, right, wrong

RESOURCE, SERVER = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"
ENDPOINTS = ("authorization_endpoint", "token_endpoint")


def check_metadata(asker: Asker, named: str) -> Iterator[Finding]:
    """The document that the challenge named, or where it named none the one at its usual place; then the sign-in's."""
    at = named or well_known(asker.address, RESOURCE)
    document = yield from _document(asker, at, what="The metadata of the server")
    if document is None:
        return
    yield from _about_resource(document, address=asker.address)
    issuers = document.get("authorization_servers")
    if not isinstance(issuers, list) or not issuers:
        advice = "List the issuer in authorization_servers; without it no program can sign in."
        yield wrong("The metadata of the server names no authorization server.", advice)
        return
    for issuer in issuers[:3]:
        yield from _check_issuer(asker, str(issuer))


def well_known(address: str, prefix: str) -> str:
    """The place of a document: between host and path."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}{prefix}{parts.path.rstrip('/')}"


def _document(asker: Asker, at: str, *, what: str) -> Generator[Finding, None, dict[str, Any] | None]:
    """The JSON object at an address; None where there is none, and why as a finding."""
    try:
        answer: Answer | None = asker.get(at) if is_address(at) else None
    except NoAnswer as none:
        yield wrong(f"{what} cannot be read. {none.said}", none.advice)
        return None
    if answer is None:
        yield wrong(f"{what} is said to be at {quoted(at)}, which is no address.", "Correct the address in the server.")
    elif answer.status != HTTPStatus.OK or answer.is_html:
        said, advice = unexpected(answer)
        yield wrong(f"{what} cannot be read. {said}", advice)
    elif answer.data is None:
        advice = "See what stands in the place of the document, and whether a proxy alters it."
        yield wrong(f"{what} at {quoted(at)} is not a JSON object.", advice)
    return answer.data if answer and answer.status == HTTPStatus.OK and not answer.is_html else None


def _about_resource(document: dict[str, Any], *, address: str) -> Iterator[Finding]:
    resource = document.get("resource")
    if resource != address:
        advice = f"Give programs the address {quoted(resource)}, or set PUBLIC_URL so that both are the same."
        yield wrong(
            f"The metadata speaks of {quoted(resource)}, not of {quoted(address)}: programs stop there.", advice
        )
    else:
        yield right("The metadata of the server names this very address.")
    methods = document.get("bearer_methods_supported", ["header"])
    if methods != ["header"]:
        advice = 'Say ["header"] alone: in an address a token ends up in logs.'
        yield wrong(f"The metadata takes tokens elsewhere than in the header: {quoted(methods)}.", advice)


def _check_issuer(asker: Asker, issuer: str) -> Iterator[Finding]:
    name = quoted(issuer)
    if not is_address(issuer) or not is_private(issuer):
        yield wrong(f"The authorization server {name} has no address with TLS.", "Set PUBLIC_URL to the https address.")
        return
    document = yield from _document(asker, well_known(issuer, SERVER), what=f"The metadata of the sign-in at {name}")
    if document is None:
        return
    faults = list(_faults(document, issuer=issuer))
    yield from faults
    if not faults:
        yield right(f"The sign-in at {name} names itself, its addresses and PKCE with S256.")
    yield _ways_to_register(document)


def _faults(document: dict[str, Any], *, issuer: str) -> Iterator[Finding]:
    if document.get("issuer") != issuer:
        said = f"The metadata at {quoted(issuer)} is of another issuer, {quoted(document.get('issuer'))}."
        yield wrong(said, "Programs refuse it: the issuer has to be the same to the letter. Correct PUBLIC_URL.")
    for name in ENDPOINTS:
        address = str(document.get(name, ""))
        if not is_address(address) or not is_private(address):
            advice = "Set PUBLIC_URL to the https address, from which all others are made."
            yield wrong(f"The sign-in's {name} is no address with TLS: {quoted(address) or 'none'}.", advice)
    if "S256" not in (document.get("code_challenge_methods_supported") or []):
        advice = "Programs have to refuse a sign-in that does not say code_challenge_methods_supported with S256."
        yield wrong("The sign-in does not offer PKCE with S256.", advice)
    if "code" not in (document.get("response_types_supported") or []):
        yield wrong("The sign-in does not offer the response type code.", "It is the only one that programs use.")


def _ways_to_register(document: dict[str, Any]) -> Finding:
    ways = {
        "by the address of a document": document.get("client_id_metadata_document_supported") is True,
        "by registering itself": bool(document.get("registration_endpoint")),
    }
    offered = [way for way, is_offered in ways.items() if is_offered]
    if offered:
        return right(f"A program makes itself known {' or '.join(offered)}.")
    advice = "That is so with MCP_CLIENTS=listed: enter each program in the admin."
    return left_open("No program can make itself known: only those that were entered can ask for access.", advice)
