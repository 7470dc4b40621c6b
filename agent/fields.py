"""What a column can hold: JSON that must come back as it went in, and text that every database takes."""

import json
from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:  # Django's own fields cannot be subscripted
    _TextField = models.TextField[Any, Any]
else:
    _TextField = models.TextField


def storable(text: str) -> str:
    """Without NUL and lone surrogates, which PostgreSQL refuses; all else stays."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


class JSONTextField(_TextField):
    """JSON kept as ASCII text: key order, NUL and lone surrogates survive on every database.

    A jsonb column reorders keys (a signed model turn would no longer be the one that was signed) and
    refuses U+0000, which a model may well send. Nothing here is ever queried by key.
    """

    _pyi_private_set_type: Any  # what mypy's Django plugin takes for the type of a value that is set
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> str | None:
        return None if value is None else json.dumps(value, ensure_ascii=True, default=str)

    def value_to_string(self, obj: models.Model) -> str:
        return self.get_prep_value(self.value_from_object(obj)) or ""
