"""The books in the admin: to read. Money is moved by services alone.

One thing is for staff to say: what became of a refund that its payment provider no longer tells apart.
"""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from billing import transfers
from billing.gateways import Outcome, Status
from billing.models import Account, Entry, GiftCardEntry, PaymentMethod, Transfer


class ReadOnlyAdmin(admin.ModelAdmin):
    """Shows rows; adds, changes and removes none."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(PaymentMethod)
class PaymentMethodAdmin(ReadOnlyAdmin):
    list_display = ["public_id", "customer", "kind", "brand", "last4"]
    list_filter = ["kind"]
    list_select_related = ["customer"]
    search_fields = ["public_id", "customer__username"]


@admin.register(Account)
class AccountAdmin(ReadOnlyAdmin):
    list_display = ["id", "customer", "currency", "created_at"]
    list_select_related = ["customer"]
    search_fields = ["customer__username"]


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ["id", "account", "kind", "amount_minor", "currency", "method", "created_at"]
    list_filter = ["kind"]
    list_select_related = ["account", "method"]


@admin.register(GiftCardEntry)
class GiftCardEntryAdmin(ReadOnlyAdmin):
    list_display = ["id", "method", "kind", "amount_minor", "created_at"]
    list_filter = ["kind"]
    list_select_related = ["method"]


@admin.register(Transfer)
class TransferAdmin(ReadOnlyAdmin):
    """Refunds at payment providers. Whoever looked one up there, under its key, may say how it ended."""

    list_display = ["key", "state", "amount", "gateway", "external_id", "reason", "sent_at", "settled_at"]
    list_filter = ["state", "gateway"]
    list_select_related = ["entry"]
    search_fields = ["key", "cause", "external_id"]
    actions = ["say_done", "say_refused"]

    @admin.display(description=_("amount"))
    def amount(self, transfer: Transfer) -> str:
        return f"{transfer.entry.amount_minor} {transfer.entry.currency}"

    def has_say_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("billing.change_transfer")

    @admin.action(description=_("At the provider it was refunded"), permissions=["say"])
    def say_done(self, request: HttpRequest, queryset: QuerySet[Transfer]) -> None:
        self._say(request, queryset, status=Status.SUCCEEDED)

    @admin.action(description=_("At the provider it was not refunded, and never will be"), permissions=["say"])
    def say_refused(self, request: HttpRequest, queryset: QuerySet[Transfer]) -> None:
        self._say(request, queryset, status=Status.FAILED)

    def _say(self, request: HttpRequest, queryset: QuerySet[Transfer], *, status: Status) -> None:
        """Only for what a person was asked about: everything else the provider says by itself."""
        asked = [row for row in queryset.select_related("entry") if transfers.is_for_staff(row)]
        said = Outcome(status, reason=f"said by {request.user.get_username()}"[:200])
        count = sum(transfers.record(row, said) for row in asked)
        self.message_user(request, _("%(count)d changed.") % {"count": count}, messages.INFO)
