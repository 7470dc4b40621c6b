"""The agent's rows. What each one promises is in its docstring; what must never be false is a constraint.

The run loop, the gate and the event log are the only writers; see `agent.runs`, `agent.actions` and `agent.events`.
"""

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from agent.audit_rows import AuditAnchor as AuditAnchor
from agent.audit_rows import AuditEntry as AuditEntry
from agent.duty_rows import Duty as Duty
from agent.fields import JSONTextField
from agent.legal_holds import LegalHold as LegalHold
from agent.pending_actions import ActionTrace as ActionTrace
from agent.pending_actions import PendingAction as PendingAction
from agent.personal_tokens import PersonalToken as PersonalToken


class Conversation(models.Model):
    """One customer's correspondence. The system prompt and the tool list are frozen when it begins.

    A model's signed thinking is bound to both, byte for byte; whether a tool may still run is asked at each call.
    What another program asks for on a customer's behalf is filed in one of its own: it has neither prompt nor tools,
    no model reads it, and no page shows it as a chat.
    """

    class Channel(models.TextChoices):
        CHAT = "chat", _("chat")
        MCP = "mcp", _("connected program")

    class State(models.TextChoices):
        BOT = "bot", _("with the assistant")
        HUMAN = "human", _("with a person")
        CLOSED = "closed", _("closed")

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="conversations")
    channel = models.CharField(max_length=8, choices=Channel, default=Channel.CHAT)
    client_id = models.CharField(max_length=255, blank=True)  # which program; empty in the chat
    client_name = models.CharField(max_length=80, blank=True)  # as it calls itself
    state = models.CharField(max_length=8, choices=State, default=State.BOT)
    title = models.CharField(max_length=80)
    language = models.CharField(max_length=12, default="en")
    system_prompt = models.TextField()
    tools = JSONTextField()  # the published list, in the order in which it is sent
    prefix_hash = models.CharField(max_length=64)  # of the two above
    provider = models.CharField(max_length=20)
    model = models.CharField(max_length=80)
    last_event = models.PositiveBigIntegerField(default=0)  # moved by agent.events alone
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["-updated_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "client_id"], condition=~Q(channel="chat"), name="conversation_one_a_client"
            )
        ]
        indexes = [models.Index(fields=["user", "-updated_at"])]

    def __str__(self) -> str:
        return self.title

    @property
    def is_chat(self) -> bool:
        """Whether a model takes part, and its customer reads and writes in it."""
        return self.channel == self.Channel.CHAT


class AgentRun(models.Model):
    """One answer in the making: all messages that wait when it is claimed are answered together.

    The row is the outbox: a broker that loses the task loses nothing. A worker holds the run while
    `lease_owner`, `attempt` and state `running` are its own; every commit of the loop checks them.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("working")
        DONE = "done", _("answered")
        FAILED = "failed", _("failed")
        STOPPED = "stopped", _("stopped")
        OUT_OF_BUDGET = "out_of_budget", _("out of budget")

    OPEN = (State.QUEUED, State.RUNNING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="runs")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()  # 1, 2, ... in its conversation
    prompt = models.TextField()
    state = models.CharField(max_length=14, choices=State, default=State.QUEUED)
    lease_owner = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    attempt = models.PositiveIntegerField(default=0)
    enqueued_at = models.DateTimeField(null=True, blank=True)
    deadline = models.DateTimeField(null=True, blank=True)  # set by the first claim, kept by the next
    stop_requested_at = models.DateTimeField(null=True, blank=True)
    stop_requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    partial_text = models.TextField(blank=True)  # of the turn that streams now; empty between turns
    partial_attempt = models.PositiveIntegerField(default=0)  # the try that it belongs to
    error_code = models.CharField(max_length=40, blank=True)
    reference = models.CharField(max_length=12, blank=True)  # what the customer is told to quote
    trace_id = models.UUIDField(default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["conversation", "number"], name="run_number_once"),
            models.UniqueConstraint(
                fields=["conversation"], condition=Q(state="running"), name="run_one_running_a_conversation"
            ),
            models.UniqueConstraint(
                fields=["conversation"], condition=Q(state="queued"), name="run_one_queued_a_conversation"
            ),
        ]
        indexes = [
            models.Index(fields=["created_at"], condition=Q(state="queued"), name="run_queued"),
            models.Index(fields=["lease_until"], condition=Q(state="running"), name="run_leases"),
            models.Index(fields=["-created_at", "id"], name="run_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.get_state_display()}: {self.prompt[:60]}"


class Message(models.Model):
    """What was said, as it was shown. `run` is the run that answers it, or that said it."""

    class Author(models.TextChoices):
        CUSTOMER = "customer", _("customer")
        AGENT = "agent", _("assistant")
        STAFF = "staff", _("staff")
        SYSTEM = "system", _("news")  # told to the model; the customer sees its card instead

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="messages")
    run = models.ForeignKey(AgentRun, models.CASCADE, null=True, blank=True, related_name="messages")
    author = models.CharField(max_length=8, choices=Author)
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.get_author_display()}: {self.text[:60]}"


class ModelTurn(models.Model):
    """What the model answered, exactly as it was received. Never altered: it is sent back as it is."""

    run = models.ForeignKey(AgentRun, models.CASCADE, related_name="turns")
    index = models.PositiveIntegerField()  # 0, 1, ... in its run
    content = JSONTextField()
    stop_reason = models.CharField(max_length=40, blank=True)
    model = models.CharField(max_length=80, blank=True)
    request_id = models.CharField(max_length=120, blank=True)
    input_tokens = models.PositiveIntegerField(default=0)  # not from the cache
    cache_read_tokens = models.PositiveIntegerField(default=0)
    cache_write_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    cost_micro = models.PositiveBigIntegerField(null=True, blank=True)  # millionths of a US dollar; null: not known
    first_token_ms = models.PositiveIntegerField(null=True, blank=True)
    duration_ms = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["run", "index"]
        constraints = [models.UniqueConstraint(fields=["run", "index"], name="turn_index_once")]
        indexes = [models.Index(fields=["created_at"], name="turn_by_day")]

    def __str__(self) -> str:
        return f"turn {self.index}: {self.stop_reason}"


class AgentStep(models.Model):
    """One tool call and its one result. Written as `started`, with its turn where a model asked for it; finished with
    its result.

    One that stays `started` in a run without turns was cut short by the end of its process: nothing came of it.
    """

    class Outcome(models.TextChoices):
        STARTED = "started", _("started")
        OK = "ok", _("done")
        PROPOSED = "proposed", _("proposed")
        REFUSED = "refused", _("refused")
        INVALID = "invalid", _("invalid arguments")
        UNKNOWN_TOOL = "unknown_tool", _("unknown tool")
        SWITCHED_OFF = "switched_off", _("switched off")
        ERROR = "error", _("internal error")

    run = models.ForeignKey(AgentRun, models.CASCADE, related_name="steps")
    turn = models.ForeignKey(ModelTurn, models.CASCADE, null=True, blank=True, related_name="steps")
    sequence = models.PositiveIntegerField()  # 1, 2, ... in its run
    call_id = models.CharField(max_length=128)
    tool = models.CharField(max_length=128)
    schema_hash = models.CharField(max_length=64, blank=True)
    arguments = JSONTextField()  # as the model sent them
    outcome = models.CharField(max_length=12, choices=Outcome, default=Outcome.STARTED)
    result = models.TextField(blank=True)  # the JSON text that the model was given
    result_size = models.PositiveIntegerField(default=0)  # characters of `result`
    reference = models.CharField(max_length=12, blank=True)
    action = models.ForeignKey(PendingAction, models.SET_NULL, null=True, blank=True, related_name="steps")
    duration_ms = models.PositiveIntegerField(null=True, blank=True)
    started_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["run", "sequence"]
        constraints = [
            models.UniqueConstraint(fields=["run", "call_id"], name="step_call_once"),
            models.UniqueConstraint(fields=["run", "sequence"], name="step_sequence_once"),
        ]

    def __str__(self) -> str:
        return f"{self.tool}: {self.get_outcome_display()}"


FIRST_TICKET = 1001


class Handoff(models.Model):
    """A ticket for a person. A conversation has at most one open."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        CLOSED = "closed", _("closed")

    class Reason(models.TextChoices):
        ASKED = "asked_for_a_person", _("the customer asked for a person")
        CANNOT = "cannot_help", _("the assistant cannot do it")
        POLICY = "policy", _("the shop's policy needs a person")
        COMPLAINT = "complaint", _("a complaint")
        SAFETY = "safety", _("something urgent")

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="handoffs")
    reason = models.CharField(max_length=20, choices=Reason)
    summary = models.TextField(blank=True)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    assignee = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    opened_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-opened_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["conversation"], condition=Q(state="open"), name="handoff_one_open_a_conversation"
            )
        ]

    def __str__(self) -> str:
        return f"T-{self.number}"

    @property
    def number(self) -> int:
        """1001, 1002, ...: the database gives it, so that tickets opened at once never ask for the same."""
        return FIRST_TICKET - 1 + self.pk


class Event(models.Model):
    """What the browser is shown, in order. Numbered without gaps by its conversation's counter."""

    conversation = models.ForeignKey(Conversation, models.CASCADE, related_name="events")
    seq = models.PositiveBigIntegerField()
    kind = models.CharField(max_length=20)
    data = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["conversation", "seq"]
        constraints = [models.UniqueConstraint(fields=["conversation", "seq"], name="event_seq_once")]

    def __str__(self) -> str:
        return f"{self.seq} {self.kind}"


class HelpArticle(models.Model):
    """A text that answers may rest on, in one of its versions. What was once published is never rewritten.

    A change is a new row, so that a version that was cited can still be read. Only the newest published one of a slug
    and language is searched; the database keeps its search index in step by itself.
    """

    slug = models.SlugField(max_length=80)
    language = models.CharField(max_length=12)
    version = models.PositiveIntegerField(default=1)
    title = models.CharField(max_length=200)
    body = models.TextField()  # Markdown
    is_published = models.BooleanField(_("published"), default=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["slug", "language", "-version"]
        constraints = [
            models.UniqueConstraint(fields=["slug", "language", "version"], name="help_version_once"),
            models.CheckConstraint(condition=Q(version__gte=1), name="help_version_counts_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.title} ({self.language}, version {self.version})"


class OutgoingMail(models.Model):
    """A mail that has to leave: written in the transaction of its cause, sent later, once.

    It is waiting while `due_at` is set, sent when `sent_at` is; with neither it was given up, and staff see it.
    """

    key = models.CharField(max_length=120, unique=True)  # what caused it: the same cause never writes two
    conversation = models.ForeignKey(Conversation, models.CASCADE, null=True, blank=True, related_name="mails")
    to = models.EmailField(max_length=254)
    subject = models.CharField(max_length=200)
    text = models.TextField()
    html = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField(null=True, blank=True)  # when it is tried next
    sent_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveIntegerField(default=0)
    last_error = models.TextField(blank=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(sent_at__isnull=True) | Q(due_at__isnull=True), name="mail_sent_is_not_due"
            )
        ]
        indexes = [models.Index(fields=["due_at"], condition=Q(due_at__isnull=False), name="mail_due")]

    def __str__(self) -> str:
        return self.subject
