"""SECURITY 42 and 43: what is written of a hostile text cannot pass for another record, in either form."""

import io
import json
import logging
import logging.config
from collections.abc import Callable, Iterator

import pytest
from django.test import Client

from config.logs import logging_settings

# Each ends a line, or moves a terminal's cursor, or turns its text round, somewhere.
UNSEEN = ["\r\n", "\r", "\n", "\x1b[2J", "\x00", "\x07", "\x0b", "\x0c", "\x7f", "\x85", "\x9b", "\u2028", "\u202e"]
FORGED = '{"event": "refunded", "level": "info"}'
Written = Callable[[], str]


@pytest.fixture(params=["json", "text"])
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def written(form: str) -> Iterator[Written]:
    """What the site's own handler has written since the test began."""
    made = logging.config.DictConfigurator(logging_settings(form=form, level="INFO"))
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(made.configure_formatter(made.config["formatters"]["line"]))
    logging.getLogger().addHandler(handler)
    yield stream.getvalue
    logging.getLogger().removeHandler(handler)


@pytest.mark.parametrize("unseen", UNSEEN, ids=ascii)
def test_hostile_text_stays_in_its_record(form: str, unseen: str, written: Written) -> None:
    """SECURITY 42: as the message, an argument, a name, a value and within a value."""
    text = f"said{unseen}{FORGED}"
    about = {"channel": text, text: 1, "deep": {"list": [text]}}
    logging.getLogger(f"agent.{text}").warning("%s", text, extra=about)
    (line, end) = written().split("\n")
    assert (end, [each for each in unseen if each < " " and each in line]) == ("", [])
    assert line.splitlines() == [line]
    if form == "json":
        record = json.loads(line)
        assert (record["event"], record["channel"], record["deep"]) == (text, text, {"list": [text]})
    else:
        assert unseen not in line


def test_only_a_record_begins_at_the_left_edge(form: str, written: Written) -> None:
    """SECURITY 42: an exception has its own lines in the form to read, and they are further in."""
    try:
        raise ValueError(f"x\n{FORGED}\r\nand\x85more")
    except ValueError:
        logging.getLogger("agent").exception("failed\nbadly")
    first, *others = written().splitlines()
    assert ("failed\\nbadly" in first, [line for line in others if not line.startswith("    ")]) == (True, [])
    assert FORGED not in written()


@pytest.mark.parametrize("level", ["INFO", "DEBUG"])
def test_a_developers_traceback_is_plain(level: str) -> None:
    """SECURITY 43: also with DEBUG no values of variables, and no line at the left edge but the record's own."""
    made = logging.config.DictConfigurator(logging_settings(form="text", level=level))
    formatter = made.configure_formatter(made.config["formatters"]["line"])
    secret = "".join(["can", "ary"])  # in a variable, not in the source line
    try:
        raise ValueError(f"one\n{FORGED}")
    except ValueError as error:
        failed = (type(error), error, error.__traceback__)
    line = formatter.format(logging.LogRecord("agent", logging.ERROR, __file__, 1, "failed", (), failed))
    assert secret not in line
    assert [each for each in line.splitlines()[1:] if not each.startswith("    ")] == []


def test_lines_of_django_hold_no_query_and_no_key_of_a_mailed_link(written: Written, db: None) -> None:
    """SECURITY 43: pages that are not there, and forms without their token, are told without what was asked."""
    strict = Client(enforce_csrf_checks=True)
    strict.get("/nowhere/?q=my-canary")
    strict.post("/accounts/password/reset/key/3-c4nary-k3y/?q=my-canary")
    told = written()
    assert ("/nowhere/" in told, "/accounts/password/reset/key/.../" in told) == (True, True)
    assert ("my-canary" in told, "c4nary" in told) == (False, False)
