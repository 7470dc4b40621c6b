"""The agent's rows in the admin: to look at, not to change. The review under /staff/ shows them better."""

from typing import Any

from allauth.idp.oidc.models import Token
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from agent import knowledge, models, outbox

# Whoever could write a token there could call as any customer. Programs stay: a shop may enter and remove them.
admin.site.unregister(Token)


class ReadOnly(admin.ModelAdmin):
    """Nothing is added, changed or deleted here; every row has one writer, and it is not a form."""

    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(models.AgentRun)
class AgentRunAdmin(ReadOnly):
    list_display = ["id", "user", "state", "created_at", "error_code", "reference"]
    list_filter = ["state", "error_code"]
    list_select_related = ["user"]
    search_fields = ["=reference", "=user__username"]
    date_hierarchy = "created_at"


@admin.register(models.PendingAction)
class PendingActionAdmin(ReadOnly):
    list_display = ["id", "user", "tool", "state", "summary", "created_at"]
    list_filter = ["state", "tool"]
    list_select_related = ["user"]
    date_hierarchy = "created_at"


@admin.register(models.AgentStep)
class AgentStepAdmin(ReadOnly):
    list_display = ["id", "run", "sequence", "tool", "outcome", "duration_ms"]
    list_filter = ["outcome", "tool"]
    list_select_related = ["run"]


@admin.register(models.Handoff)
class HandoffAdmin(ReadOnly):
    list_display = ["number", "reason", "state", "opened_at", "assignee"]
    list_filter = ["state", "reason"]
    list_select_related = ["assignee"]


@admin.register(models.AuditEntry)
class AuditEntryAdmin(ReadOnly):
    list_display = ["conversation_id", "sequence", "at", "actor", "kind", "subject"]
    list_filter = ["kind"]


@admin.register(models.HelpArticle)
class HelpArticleAdmin(admin.ModelAdmin):
    """Staff write here. Other words become the next version; the version that was cited stays as it was."""

    list_display = ["title", "slug", "language", "version", "is_published", "updated_at"]
    list_filter = ["language", "is_published"]
    search_fields = ["title", "slug"]
    fields = ["slug", "language", "version", "title", "body", "is_published"]

    def get_readonly_fields(self, request: HttpRequest, obj: models.HelpArticle | None = None) -> list[str]:
        return ["slug", "language", "version"] if obj else ["version"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: models.HelpArticle, form: ModelForm, change: bool) -> None:
        if change and not knowledge.reworded(obj):
            super().save_model(request, obj, form, change)
            return
        knowledge.publish(obj)
        if change:
            words = _("The text was kept as version %(version)s; the one before it stays readable.")
            self.message_user(request, words % {"version": obj.version})


@admin.register(models.OutgoingMail)
class OutgoingMailAdmin(ReadOnly):
    """What left, what waits, and what was given up. The words of a mail are its reader's, and not shown in lists."""

    list_display = ["created_at", "to", "subject", "state", "attempts", "due_at", "last_error"]
    list_filter = [
        ("sent_at", admin.EmptyFieldListFilter),
        ("due_at", admin.EmptyFieldListFilter),
    ]
    search_fields = ["=to", "key"]
    date_hierarchy = "created_at"
    actions = ["send_again"]

    @admin.display(description=gettext_lazy("state"))
    def state(self, mail: models.OutgoingMail) -> str:
        """Sent, waiting or given up."""
        if mail.sent_at:
            return _("sent")
        return _("waiting") if mail.due_at else _("given up")

    def has_resend_permission(self, request: HttpRequest) -> bool:
        """Who may have a mail sent again."""
        return request.user.has_perm("agent.change_outgoingmail")

    @admin.action(description=gettext_lazy("Send again what was given up"), permissions=["resend"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[models.OutgoingMail]) -> None:
        """Only mails that were given up; all others stay as they are."""
        count = outbox.send_again(queryset)
        told = ngettext("%(count)d mail is due again.", "%(count)d mails are due again.", count)
        self.message_user(request, told % {"count": count}, messages.SUCCESS)


@admin.register(models.LegalHold)
class LegalHoldAdmin(admin.ModelAdmin):
    """Placed with a reason, lifted by an action; never changed or deleted, so that it can be answered for."""

    list_display = ["user", "reason", "placed_by", "placed_at", "lifted_at"]
    list_select_related = ["user", "placed_by"]
    raw_id_fields = ["user"]
    actions = ["lift"]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return obj is None and super().has_change_permission(request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: models.LegalHold, form: ModelForm, change: bool) -> None:
        obj.placed_by_id = request.user.pk
        super().save_model(request, obj, form, change)

    @admin.action(description=gettext_lazy("Lift the selected holds"), permissions=["change"])
    def lift(self, request: HttpRequest, queryset: QuerySet[models.LegalHold]) -> None:
        queryset.filter(lifted_at=None).update(lifted_at=timezone.now())
