"""Orders in the admin: to read. The catalogue can be edited; orders are changed by services alone."""

from django.contrib import admin

from billing.admin import ReadOnlyAdmin
from orders.models import Address, Exchange, Order, OrderLine, Product, Return, Shipment, Variant


class VariantInline(admin.TabularInline):
    model = Variant
    extra = 0


class OrderLineInline(admin.TabularInline):
    model = OrderLine
    extra = 0
    can_delete = False
    readonly_fields = ["position", "variant", "price_minor"]


@admin.register(Product)
class ProductAdmin(admin.ModelAdmin):
    list_display = ["name", "code"]
    search_fields = ["name", "code"]
    inlines = [VariantInline]


@admin.register(Order)
class OrderAdmin(ReadOnlyAdmin):
    list_display = ["number", "customer", "status", "placed_at"]
    list_filter = ["status"]
    list_select_related = ["customer"]
    search_fields = ["number", "customer__username"]
    inlines = [OrderLineInline]


@admin.register(Address)
class AddressAdmin(ReadOnlyAdmin):
    list_display = ["customer", "line1", "zip", "city", "is_default"]
    list_select_related = ["customer"]
    search_fields = ["customer__username"]


@admin.register(Shipment)
class ShipmentAdmin(ReadOnlyAdmin):
    list_display = ["order", "carrier", "sent_at", "delivered_at"]
    list_select_related = ["order"]
    search_fields = ["order__number"]


@admin.register(Return, Exchange)
class RequestAdmin(ReadOnlyAdmin):
    list_display = ["order", "method", "requested_at"]
    list_select_related = ["order", "method"]
    search_fields = ["order__number"]
