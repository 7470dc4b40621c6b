"""The agent's rows in the admin: to look at, not to change. The review under /staff/ shows them better."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from agent import models


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
