"""A Redis that belongs to one test, which may stop it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serving import OwnRedis


@pytest.fixture
def own_redis(redis_program: str, tmp_path: Path) -> Iterator[OwnRedis]:
    server = OwnRedis(redis_program, tmp_path)
    server.start()
    yield server
    server.stop()
