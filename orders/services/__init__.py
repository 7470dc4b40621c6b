"""What changes an order. Each service has a twin that only plans; both refuse with the same errors."""

from orders.services.cancellation import cancel_order, plan_cancellation
from orders.services.possible import Possible, can_do_now
from orders.services.refunds import plan_refund, refund_order

__all__ = ["Possible", "can_do_now", "cancel_order", "plan_cancellation", "plan_refund", "refund_order"]
