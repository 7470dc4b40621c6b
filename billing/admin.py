"""The books in the admin: to read. Money is moved by services alone."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from billing.models import Account, Entry, GiftCardEntry, PaymentMethod


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
