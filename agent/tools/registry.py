"""The tools that this shop has: read once at the start from the modules that the settings name."""

import importlib
import logging
from collections.abc import Iterable
from types import MappingProxyType

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from agent.tools.contract import Tool

logger = logging.getLogger(__name__)

_tools: dict[str, Tool] = {}
_broken: dict[str, str] = {}
_twice: list[str] = []


def load(modules: Iterable[str] | None = None) -> None:
    """Import the modules and collect the tools that each defines.

    With DEBUG a module that fails stops the start, and all of them are named; without, it is logged and left out,
    so that one bad file cannot take a shop down: `manage.py check`, /readyz and the staff page name it.
    """
    for known in (_tools, _broken, _twice):
        known.clear()
    for name in settings.AGENT["TOOL_MODULES"] if modules is None else modules:
        try:
            module = importlib.import_module(name)
        except Exception as error:
            logger.exception("tool module %s was left out", name)
            _broken[name] = f"{type(error).__name__}: {error}"
            continue
        for item in vars(module).values():
            if isinstance(item, Tool) and item.fn.__module__ == module.__name__:
                _twice.extend([item.name] if item.name in _tools else [])
                _tools[item.name] = item
    if _broken and settings.DEBUG:
        raise ImproperlyConfigured(
            "These tool modules cannot be loaded: " + "; ".join(f"{name} ({error})" for name, error in _broken.items())
        )


def all_tools() -> MappingProxyType[str, Tool]:
    """Every tool by its name, in the order of the modules and of the lines in them."""
    return MappingProxyType(_tools)


def broken_modules() -> MappingProxyType[str, str]:
    """The modules that were left out, with their errors."""
    return MappingProxyType(_broken)


def duplicate_names() -> list[str]:
    """Names that more than one tool claims; the last one has it."""
    return list(_twice)
