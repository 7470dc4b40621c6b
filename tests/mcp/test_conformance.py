"""What `make check-mcp` rests on, without Node: reasons, versions, and the header that the suite cannot send."""

import json
import re
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import pytest
import yaml

from tests.conformance.doorman import with_token
from tests.conformance.node import HERE, ROOT
from tests.conformance.suite import PLAIN, REVISIONS
from tests.mcp.conftest import message, post
from tests.serving import Site

PAGE = (ROOT / "docs" / "mcp.md").read_text()


def expected(revision: str) -> Path:
    return HERE / f"expected-{revision}.yml"


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_expected_failure_has_its_reason_in_the_docs(revision: str) -> None:
    names = {entry.partition(":")[0] for entry in yaml.safe_load(expected(revision).read_text())["server"]}
    assert {name for name in names if f"`{name}`" not in PAGE} == set()


def test_what_is_asked_of_the_site_as_it_is_may_not_fail() -> None:
    for revision, names in PLAIN.items():
        listed = yaml.safe_load(expected(revision).read_text())["server"]
        assert set(names) & set(listed) == set()


def test_versions_are_exact_and_those_of_the_docs() -> None:
    pinned = json.loads((HERE / "package.json").read_text())["dependencies"]
    for name, number in pinned.items():
        assert re.fullmatch(r"\d[\w.-]*", number)
        assert f"{name.split('/')[1]} {number}" in PAGE


def test_what_is_pinned_names_no_address() -> None:
    assert [
        file.name for file in HERE.iterdir() if file.suffix in (".json", ".txt") and "://" in file.read_text()
    ] == []


@pytest.mark.django_db(transaction=True)
def test_doorman_adds_a_token_and_leaves_the_rest_as_it_is(served: Site, token: str) -> None:
    with with_token(served.url, token) as door:
        assert post(Site(served.process, int(door.rpartition(":")[2])), message("tools/list")).status == HTTPStatus.OK
        site = HTTPConnection("127.0.0.1", int(door.rpartition(":")[2]), timeout=30)
        site.request("POST", "/mcp", body=b"{}", headers={"Host": "evil.example.com"})
        assert site.getresponse().status == HTTPStatus.MISDIRECTED_REQUEST
        site.close()
