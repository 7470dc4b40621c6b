"""What is kept of people, how long, and how it goes: by its age, or with its person."""

from agent.personal_data.erasing import Receipt, erase
from agent.personal_data.exporting import export
from agent.personal_data.retention import CLASSES, apply, apply_soon, overdue

__all__ = ["CLASSES", "Receipt", "apply", "apply_soon", "erase", "export", "overdue"]
