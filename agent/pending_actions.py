"""The row of a write that waits for its customer. `agent.actions` is its only writer."""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class PendingAction(models.Model):
    """A write that the agent proposed and that only its customer can release.

    `facts` is what the plan said, `digest` binds tool, arguments and facts; the confirmation plans again and
    executes only what has the same digest, under the same versions of tool and policy. Of one tool and `subject`
    (what it is about, in the shop's own names) the newest alone is open. While it is unsettled, `check_at` says when
    the outside is asked next.
    """

    class State(models.TextChoices):
        PENDING = "pending", _("waiting for you")
        EXECUTED = "executed", _("done")
        REJECTED = "rejected", _("declined")
        EXPIRED = "expired", _("expired")
        SUPERSEDED = "superseded", _("replaced")
        FAILED = "failed", _("not possible")
        EXECUTING = "executing", _("under way")  # confirmed; what is due outside is not known to be done yet
        AWAITING_STAFF = "awaiting_staff", _("waiting for staff")  # confirmed; a member of staff signs too, or declines
        UNKNOWN = "unknown", _("being checked")  # asked for outside, and no answer came: it may have been done

    UNSETTLED = (State.EXECUTING, State.UNKNOWN)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="pending_actions")
    run = models.ForeignKey("agent.AgentRun", models.CASCADE, null=True, blank=True, related_name="actions")
    tool = models.CharField(max_length=64)
    arguments = models.JSONField(default=dict)
    facts = models.JSONField(default=dict)
    sources = models.JSONField(default=dict)  # where each argument comes from; see agent.actions.sources
    digest = models.CharField(max_length=64)
    summary = models.TextField()  # the sentence, as it was first shown
    state = models.CharField(max_length=16, choices=State, default=State.PENDING)
    expires_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    cosigned_at = models.DateTimeField(null=True, blank=True)  # by a member of staff, who approved or declined
    cosigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    result = models.JSONField(null=True, blank=True)
    reason = models.TextField(blank=True)  # why it failed, or waits for staff, in the customer's words
    check_at = models.DateTimeField(null=True, blank=True)
    tool_hash = models.CharField(max_length=64, blank=True)
    prompt_hash = models.CharField(max_length=64, blank=True)
    policy_hash = models.CharField(max_length=64, blank=True)
    subject = models.CharField(max_length=120, blank=True)
    renews = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="renewals")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        permissions = [("cosign_action", "Can approve or decline what a customer confirmed above an amount")]
        constraints = [
            models.CheckConstraint(
                condition=Q(cosigned_by__isnull=True)
                | Q(decided_by__isnull=True)
                | ~Q(cosigned_by=models.F("decided_by")),
                name="action_two_signatures_of_two",
            ),
            models.UniqueConstraint(
                fields=["user", "tool", "digest"], condition=Q(state="pending"), name="action_one_open_of_a_kind"
            ),
            models.UniqueConstraint(
                fields=["user", "tool", "subject"],
                condition=Q(state="pending") & ~Q(subject=""),
                name="action_one_open_a_subject",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["pending", "expired", "superseded"]) | Q(decided_at__isnull=False),
                name="action_decided_has_a_time",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["executing", "unknown"], check_at__isnull=False)
                | (~Q(state__in=["executing", "unknown"]) & Q(check_at__isnull=True)),
                name="action_unsettled_is_checked",
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-created_at"]),
            models.Index(fields=["expires_at"], condition=Q(state="pending"), name="action_open"),
            models.Index(fields=["check_at"], condition=Q(state__in=["executing", "unknown"]), name="action_unsettled"),
        ]

    def __str__(self) -> str:
        return self.summary

    @property
    def reference(self) -> str:
        """What a receipt is filed under: short, readable, not a credential."""
        return str(self.id)[:8].upper()


class ActionTrace(models.Model):
    """What an audit row of an action stands for, where it came from a page: which text was read, and from where.

    With it the row's digest can be made again. It holds what may have to be erased, and goes with its action; the
    audit's row stays. Only ever added; one that was altered no longer gives the digest.
    """

    action = models.ForeignKey(PendingAction, models.CASCADE, related_name="traces")
    # The audit's rows hang on nothing and nothing hangs on them: no lock and no deferred check reaches its table.
    entry = models.OneToOneField("agent.AuditEntry", models.PROTECT, related_name="trace", db_constraint=False)
    kind = models.CharField(max_length=60)  # as in the audit
    digest = models.CharField(max_length=64)  # the action's, at that moment
    language = models.CharField(max_length=12)
    text_hash = models.CharField(max_length=64)  # of the words that stood on the page
    network = models.CharField(max_length=64, blank=True)  # the address without its last part
    address_digest = models.CharField(max_length=64, blank=True)  # of the whole address, keyed as the audit is
    agent = models.CharField(max_length=200, blank=True)  # the browser, by its own account
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["action", "digest", "text_hash"], condition=Q(kind="action.shown"), name="trace_shown_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.at:%Y-%m-%d %H:%M}"
