"""A small shop to try everything with: made up, in every state, with dates that are always recent."""

from pathlib import Path

from orders.sample_shop.loading import Login, load_sample_shop

HELP_ARTICLES = Path(__file__).parent / "help"

__all__ = ["HELP_ARTICLES", "Login", "load_sample_shop"]
