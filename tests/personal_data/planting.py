"""One row of every model for a person, a marker in each of its texts: a new model is planted without being named."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from django.apps import apps
from django.contrib.auth import SESSION_KEY, get_user_model
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection, models

from agent.fields import JSONTextField

SHORT = 8  # a shorter column cannot hold a marker: what it holds is asserted by name
# What constraints ask of a row; everything else is made up from the type of the column.
FITTING: dict[str, dict[str, Any]] = {
    "agent.Conversation": {"channel": "chat", "client_id": ""},
    "agent.OutgoingMail": {"due_at": None},
    "agent.AgentRun": {"state": "done"},
    "agent.Event": {"seq": 0},
    "agent.PendingAction": {"state": "pending", "check_at": None, "renews": None, "cosigned_by": None},
    "agent.LegalHold": {"lifted_at": datetime(2026, 1, 1, tzinfo=UTC)},
    "billing.Entry": {"kind": "payment", "payment": None, "reverses": None, "amount_minor": 5},
    "billing.GiftCardEntry": {"kind": "opening", "entry": None, "amount_minor": 5},
    "billing.Reservation": {"amount_minor": 5},
    "billing.Transfer": {"state": "succeeded", "sent_at": None, "tried_at": None},
    "orders.Order": {"status": "delivered", "cancel_reason": ""},
}
NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)


class Planter:
    """Makes the rows, and keeps which marker was put where: {marker: "app.Model.field"}."""

    def __init__(self, user: Any) -> None:
        self.fitting = FITTING
        self.user, self.rows, self.markers = user, dict[type[models.Model], Any](), dict[str, str]()

    def plant(self) -> None:
        self._mark(self.user)
        self.user.save()
        signed_in = SessionStore().encode({SESSION_KEY: str(self.user.pk)})
        self.fitting = FITTING | {"sessions.Session": {"session_data": signed_in}}
        self.rows[get_user_model()] = self.user
        for model in apps.get_models():
            self.row(model._meta.concrete_model)  # a proxy has no rows of its own

    def row(self, model: type[models.Model]) -> Any:
        """The person's row of the model; what it hangs on is made first."""
        if model not in self.rows:
            made = model(**self.fitting.get(model._meta.label, {}))
            self.rows[model] = made  # before its keys, or a key to itself would go round
            for field in model._meta.concrete_fields:
                self._fill(made, field)
            self._mark(made)
            made.save_base(force_insert=True)  # past what a model makes of itself when it is saved
        return self.rows[model]

    def _fill(self, made: models.Model, field: Any) -> None:
        if field.name in self.fitting.get(made._meta.label, {}) or isinstance(field, models.AutoField):
            return
        if field.is_relation:
            if field.remote_field.model is not type(made):
                setattr(made, field.name, self.row(field.remote_field.model))
        elif field.choices:
            setattr(made, field.name, field.flatchoices[0][0])
        elif not field.has_default() and not isinstance(field, (models.CharField, models.TextField)):
            setattr(made, field.name, _made_up(field))

    def _mark(self, made: models.Model) -> None:
        fitting = self.fitting.get(made._meta.label, {})
        for field in made._meta.concrete_fields:
            if field.name in fitting or field.choices or field.is_relation or not _holds_text(field):
                continue
            if field.primary_key and not isinstance(field, models.CharField):
                continue
            marker = f"zq{len(self.markers):03d}x{uuid4().hex[:2]}"
            self.markers[marker] = f"{made._meta.label}.{field.name}"
            is_json = isinstance(field, (models.JSONField, JSONTextField))
            is_mail = isinstance(field, models.EmailField)
            value: Any = {"planted": marker} if is_json else f"{marker}@example.com" if is_mail else marker
            setattr(made, field.name, value)


def _holds_text(field: Any) -> bool:
    if isinstance(field, models.JSONField):
        return True
    return isinstance(field, (models.CharField, models.TextField)) and (field.max_length or 99) >= SHORT


def _made_up(field: Any) -> Any:
    if isinstance(field, models.DateTimeField):
        return NOW
    if isinstance(field, models.DateField):
        return NOW.date()
    if isinstance(field, models.UUIDField):
        return uuid4()
    if isinstance(field, models.DurationField):
        return timedelta(1)
    if isinstance(field, models.BinaryField):
        return b""
    return 1


def dump() -> str:
    """Every value of every table, as text."""
    found: list[str] = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            found += [f"{table}: {row!r}" for row in cursor.fetchall()]
    return "\n".join(found)
