"""The rows of the audit. `agent.audit` is their only writer; the database refuses to change or remove one."""

from django.db import models

from agent.fields import JSONTextField


class AuditEntry(models.Model):
    """Who did or was shown what. Only ever inserted, chained within its conversation, or within its account.

    It outlives what it is about: `conversation_id` is no foreign key, and `payload_digest` is keyed, so that erasing
    what it stands for leaves the chain whole and reveals nothing.
    """

    conversation_id = models.UUIDField()
    sequence = models.PositiveIntegerField()
    actor = models.CharField(max_length=40)  # user:<pk>, agent, host, or nobody
    kind = models.CharField(max_length=60)  # action.executed, action.shown, ...
    subject = models.CharField(max_length=80)  # the row it is about
    payload_digest = models.CharField(max_length=64)
    previous = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        ordering = ["conversation_id", "sequence"]
        verbose_name_plural = "audit entries"
        constraints = [models.UniqueConstraint(fields=["conversation_id", "sequence"], name="audit_sequence_once")]
        indexes = [models.Index(fields=["at"], name="audit_by_time")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class AuditAnchor(models.Model):
    """Where the chains had come to on a day: what is taken from their ends later is missed. A chain of its own."""

    number = models.PositiveIntegerField(unique=True)
    day = models.DateField(unique=True)  # in UTC; whoever inserts it has anchored the day
    heads = JSONTextField()  # {conversation: [sequence, digest]} of the chains that grew since the anchor before
    previous = models.CharField(max_length=64, blank=True)
    digest = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        ordering = ["number"]

    def __str__(self) -> str:
        return f"anchor {self.number}, {self.day}"
