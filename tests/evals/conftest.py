"""The recorded shop and its cases, imported once for all tests of a file and undone at its end."""

import os
from pathlib import Path

import pytest
from django.db import transaction

from config.cases.folder import read_cases
from config.cases.replay import without_limits
from orders.shop_files import import_shop


@pytest.fixture(scope="module")
def recorded_folder():
    """A folder with recorded cases, not part of this project."""
    beside = Path(__file__).resolve().parents[2].parent / "shared" / "shop"
    folder = Path(os.environ.get("COUNTERSIGN_SHOP_DIR") or beside)
    if not (folder / "replays.jsonl").is_file():
        reason = "no cases to play: COUNTERSIGN_SHOP_DIR names no folder with replays.jsonl"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="module")
def recorded(recorded_folder, django_db_setup, django_db_blocker):
    """All cases, with their shop in the database; what a test does to it is undone with the test."""
    with django_db_blocker.unblock(), transaction.atomic(), without_limits():
        import_shop(recorded_folder)
        yield read_cases(recorded_folder)
        transaction.set_rollback(True)
