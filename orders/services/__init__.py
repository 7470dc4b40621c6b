"""What changes an order. Each service has a twin that only plans; both refuse with the same errors."""

from orders.services.addresses import (
    change_default_address,
    change_shipping_address,
    plan_default_address_change,
    plan_shipping_address_change,
)
from orders.services.cancellation import cancel_order, plan_cancellation
from orders.services.items import change_items, plan_item_change
from orders.services.payments import change_payment, plan_payment_change
from orders.services.possible import Possible, can_do_now
from orders.services.refunds import plan_refund, refund_order
from orders.services.sending_back import exchange_items, plan_exchange, plan_return, return_items

__all__ = [
    "Possible",
    "can_do_now",
    "cancel_order",
    "change_default_address",
    "change_items",
    "change_payment",
    "change_shipping_address",
    "exchange_items",
    "plan_cancellation",
    "plan_default_address_change",
    "plan_exchange",
    "plan_item_change",
    "plan_payment_change",
    "plan_refund",
    "plan_return",
    "plan_shipping_address_change",
    "refund_order",
    "return_items",
]
