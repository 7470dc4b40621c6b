"""A small shop to try everything with: made up, in every state, with dates that are always recent."""

from orders.sample_shop.loading import Login, load_sample_shop

__all__ = ["Login", "load_sample_shop"]
