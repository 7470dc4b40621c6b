"""The queue takes JSON alone: a pickle is refused before anything in it can run (SECURITY 57)."""

import pickle
from typing import Any

import pytest
from kombu.exceptions import ContentDisallowed
from kombu.message import Message

from config import celery_app

RAN: list[str] = []


def ran(word: str) -> str:
    RAN.append(word)
    return word


class Trap:
    """Runs as it is unpacked."""

    def __reduce__(self) -> tuple[Any, ...]:
        return ran, ("unpacked",)


def message(body: bytes, *, content_type: str, encoding: str) -> Message:
    """As a worker with this site's settings takes one from the broker."""
    with celery_app.connection_for_read() as connection:
        channel = connection.default_channel
        consumer = celery_app.amqp.TaskConsumer(channel)
        return Message(
            body=body, channel=channel, content_type=content_type, content_encoding=encoding,
            accept=consumer.accept, headers={"id": "1", "task": "agent.tasks.run"}, delivery_tag=1,
        )  # fmt: skip


@pytest.mark.parametrize("content_type", ["application/x-python-serialize", "application/x-yaml", "text/plain"])
def test_worker_refuses_what_is_not_json(content_type: str) -> None:
    RAN.clear()
    got = message(pickle.dumps(Trap()), content_type=content_type, encoding="binary")
    with pytest.raises(ContentDisallowed):
        got.decode()
    assert RAN == []


def test_trap_would_have_run() -> None:
    RAN.clear()
    pickle.loads(pickle.dumps(Trap()))
    assert RAN == ["unpacked"]


def test_worker_takes_json() -> None:
    got = message(b"[[], {}, {}]", content_type="application/json", encoding="utf-8")
    assert got.decode() == [[], {}, {}]


def test_this_site_sends_json() -> None:
    assert (celery_app.conf.task_serializer, celery_app.conf.result_serializer) == ("json", "json")
