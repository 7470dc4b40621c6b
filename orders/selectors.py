"""What the shop knows. Nothing here writes; whatever starts from a number takes the customer too."""

import re

from django.contrib.auth.models import User
from django.db.models import Prefetch, Q, QuerySet, TextField
from django.db.models.functions import Cast

from orders.errors import OrderNotFound
from orders.models import Address, Order, OrderLine, Product, Variant
from orders.numbers import canonical

MAX_WORDS = 8
MAX_VARIANTS = 2000
# Ordinary words that name no product, in the languages of the shop.
_STOP_WORD = re.compile(
    "a|an|and|any|are|available|der|die|das|do|does|ein|eine|einen|for|from|gibt|habt|haben|have|how|i|ich|ihr|in|is|it|"
    "kann|me|mir|much|of|or|sell|sie|the|there|to|und|was|what|which|wie|with|you|your|zu"
)


def orders_of(user: User) -> QuerySet[Order]:
    """The customer's orders with their lines, newest first."""
    return _with_details(Order.objects.filter(customer=user)).reverse()


def order_of(user: User, *, number: str, lock: bool = False) -> Order:
    """The customer's order, in any spelling of its number. Raises OrderNotFound, for a stranger's as for none.

    `lock` keeps the row to the end of the transaction.
    """
    rows = Order.objects.filter(customer=user, number=canonical(number))
    order = (rows.select_for_update() if lock else _with_details(rows)).first()
    if order is None:
        raise OrderNotFound
    return order


def default_address(user: User) -> Address | None:
    """Where the customer's next order would go."""
    return Address.objects.filter(customer=user, is_default=True).first()


def total_minor(order: Order) -> int:
    """What the order's lines cost together, in minor units."""
    return sum(line.price_minor for line in order.lines.all())


def promised_minor(order: Order) -> int:
    """What a return or an exchange that was requested is to give back, in minor units."""
    back, exchange = getattr(order, "return_request", None), getattr(order, "exchange_request", None)
    lines = sum(line.price_minor for line in back.lines.all()) if back else 0
    return lines - min(0, exchange.difference_minor if exchange else 0)


def find_variants(query: str) -> list[Variant]:
    """The variants that fit most of the query's words, by product; every variant where it has no words.

    A word fits in a product's name or among a variant's options, in upper or lower case, plural or not. A sku finds
    its product in all variants.
    """
    named = Product.objects.filter(variants__sku__in=query[:200].split())
    rows = Variant.objects.select_related("product").filter(product__in=named)
    return list(rows.order_by("product__name", "product_id", "id")) or _fitting(_words(query))


def _fitting(words: list[str]) -> list[Variant]:
    variants = Variant.objects.select_related("product").annotate(text=Cast("options", TextField()))
    if words:
        either = Q()
        for word in words:
            either |= Q(product__name__icontains=word) | Q(text__icontains=word)
        variants = variants.filter(either)
    rows = list(variants.order_by("product__name", "product_id", "id")[:MAX_VARIANTS])
    scores = [_score(variant, words) for variant in rows]
    best = max(scores, default=0)
    return [variant for variant, score in zip(rows, scores, strict=True) if score == best]


def _words(query: str) -> list[str]:
    words = re.findall(r"[^\W_]+(?:-[^\W_]+)*", query.casefold()[:200])
    meant = [word for word in words if not _STOP_WORD.fullmatch(word)]
    return [word[:-1] if len(word) > 3 and word.endswith("s") else word for word in meant][:MAX_WORDS]


def _score(variant: Variant, words: list[str]) -> int:
    """A word in the name outweighs one among the options: "blue backpack" finds backpacks before blue mugs."""
    name, options = variant.product.name.casefold(), str(variant.options).casefold()
    return sum(2 * (word in name) + (word in options) for word in words)


def _with_details(orders: QuerySet[Order]) -> QuerySet[Order]:
    lines = Prefetch("lines", OrderLine.objects.select_related("variant__product"))
    one_each = orders.select_related("ship_to", "account", "return_request", "exchange_request")
    return one_each.prefetch_related(lines, "shipments__events")
