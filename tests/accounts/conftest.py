"""The cast of the pages: Alice with an answered question and a refund that waits for her."""

from tests.pages.conftest import answered, order, proposal  # noqa: F401
