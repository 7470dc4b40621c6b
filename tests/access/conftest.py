"""Browsers for the cast, and a second proof of who they are."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client

from tests.conftest import PASSWORD
from tests.pages.conftest import as_alice as as_alice
from tests.pages.conftest import as_bob as as_bob
from tests.pages.conftest import order as order
from tests.pages.conftest import proposal as proposal
from tests.pages.conftest import signed_in as signed_in


def proved(browser: Client, answer: HttpResponse) -> Any:
    """Give the password where the answer asks for it, and see what comes then."""
    assert answer.status_code == 302
    assert answer.url.startswith("/accounts/reauthenticate/")
    return browser.post(answer.url, {"password": PASSWORD})


@pytest.fixture
def known_alice(alice: User, as_alice: Client) -> Client:
    """Alice's browser, a moment after she gave her password."""
    as_alice.post("/accounts/reauthenticate/", {"password": PASSWORD})
    return as_alice
