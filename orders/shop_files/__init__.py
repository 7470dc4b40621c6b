"""A shop as three files: customers.jsonl, orders.jsonl and products.jsonl, a JSON object a line."""

from orders.shop_files.exporting import export_shop
from orders.shop_files.importing import Imported, import_shop

__all__ = ["Imported", "export_shop", "import_shop"]
