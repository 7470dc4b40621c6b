"""Puts the sample shop into the database. Twice does what once does."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Permission, User
from django.db import transaction
from django.utils import timezone

from billing import services as books
from billing.models import Account, PaymentMethod
from orders.models import Address, Exchange, ExchangeLine, Order, OrderLine, Product, Return, Shipment, Variant
from orders.sample_shop.catalogue import PRODUCTS, SampleProduct
from orders.sample_shop.history import ORDERS, SampleOrder
from orders.sample_shop.people import CUSTOMERS, PASSWORD, STAFF, SampleCustomer
from orders.services import cancel_order

CURRENCY = "EUR"
_ARRIVED = (Order.Status.DELIVERED, Order.Status.RETURN_REQUESTED, Order.Status.EXCHANGE_REQUESTED)
_ADDRESS_KEYS = ("line1", "line2", "city", "state", "country", "zip")
STAFF_MAY = ("view_agentrun", "cosign_action")  # read every run, and approve what needs a second signature


@dataclass(frozen=True)
class Login:
    """Who can sign in to the sample shop, and what there is to see then."""

    username: str
    password: str
    name: str
    about: str


@transaction.atomic
def load_sample_shop() -> list[Login]:
    """Customers, staff, products and orders; what exists by name already is left as it is. Returns the logins."""
    password = make_password(PASSWORD)
    for product in PRODUCTS:
        _load_product(product)
    for customer in CUSTOMERS:
        _load_customer(customer, password=password)
    for username, first_name, last_name, _about in STAFF:
        _load_staff(username, first_name=first_name, last_name=last_name, password=password)
    for order in ORDERS:
        if not Order.objects.filter(number=order.number).exists():
            _load_order(order)
    people = [(c.username, f"{c.first_name} {c.last_name}", c.about) for c in CUSTOMERS]
    people += [(username, f"{first} {last}", about) for username, first, last, about in STAFF]
    return [Login(username, PASSWORD, name, about) for username, name, about in people]


def strangers() -> int:
    """How many accounts there are that the sample does not know: a shop of somebody's own."""
    ours = [customer.username for customer in CUSTOMERS] + [row[0] for row in STAFF]
    return User.objects.exclude(username__in=ours).count()


def _load_product(sample: SampleProduct) -> None:
    product, is_new = Product.objects.get_or_create(code=sample.code, defaults={"name": sample.name})
    if is_new:
        Variant.objects.bulk_create(
            Variant(
                product=product,
                sku=sku,
                options=options,
                price_minor=price,
                currency=CURRENCY,
                available=sku not in sample.sold_out,
            )
            for sku, options, price in sample.variants()
        )


def _load_customer(sample: SampleCustomer, *, password: str) -> None:
    user, is_new = User.objects.get_or_create(
        username=sample.username,
        defaults={
            "first_name": sample.first_name,
            "last_name": sample.last_name,
            "email": sample.email,
            "password": password,
        },
    )
    if not is_new:
        return
    _verify(user)
    Address.objects.create(customer=user, is_default=True, **dict(zip(_ADDRESS_KEYS, sample.address, strict=True)))
    for public_id, held in sample.cards.items():
        if isinstance(held, int):
            books.open_gift_card(user, public_id=public_id, amount_minor=held, currency=CURRENCY)
        else:
            brand, last4 = held or ("", "")
            kind = public_id.rsplit("_", 1)[0]
            PaymentMethod.objects.create(customer=user, public_id=public_id, kind=kind, brand=brand, last4=last4)


def _load_staff(username: str, *, first_name: str, last_name: str, password: str) -> None:
    user, is_new = User.objects.get_or_create(
        username=username,
        defaults={
            "first_name": first_name,
            "last_name": last_name,
            "email": f"{username}@example.com",
            "password": password,
            "is_staff": True,
            "is_superuser": username == "admin",
        },
    )
    if is_new:
        _verify(user)
        # The agent may be off: then there are no runs to view, and nothing to permit.
        user.user_permissions.set(Permission.objects.filter(codename__in=STAFF_MAY))


def _verify(user: User) -> None:
    EmailAddress.objects.create(user=user, email=user.email.lower(), verified=True, primary=True)


def _load_order(sample: SampleOrder) -> None:
    user = User.objects.get(username=sample.customer)
    account = books.open_account(user, currency=CURRENCY)
    home = Address.objects.filter(customer=user, is_default=True).first()
    order = Order.objects.create(
        number=sample.number,
        customer=user,
        status=Order.Status.PENDING if sample.status == Order.Status.CANCELLED else sample.status,
        currency=CURRENCY,
        ship_to=home and Address.objects.create(customer=user, **{key: getattr(home, key) for key in _ADDRESS_KEYS}),
        account=account,
        note=sample.note,
        placed_at=_placed_at(sample),
    )
    variants = {variant.sku: variant for variant in Variant.objects.filter(sku__in=sample.skus)}
    bought = [variants[sku] for sku in sample.skus]
    lines = [
        OrderLine.objects.create(order=order, position=position, variant=variant, price_minor=variant.price_minor)
        for position, variant in enumerate(bought, 1)
    ]
    method = _pay(account, sample, total_minor=sum(line.price_minor for line in lines))
    if sample.status in (Order.Status.PROCESSED, Order.Status.SHIPPED, *_ARRIVED):
        _ship(order, sample)
    _finish(order, sample, line=lines[0], method=method)


def _placed_at(sample: SampleOrder) -> datetime:
    """Half past nine, so that dates do not depend on the minute of the load; today's order is never in the future."""
    now = timezone.localtime()
    day = now - timedelta(days=sample.days_ago)
    return min(day.replace(hour=9, minute=30, second=0, microsecond=0), now)


def _pay(account: Account, sample: SampleOrder, *, total_minor: int) -> PaymentMethod:
    """Book the payments; returns the method of the last."""
    left = total_minor
    for part in sample.pay:
        public_id, amount_minor = part if isinstance(part, tuple) else (part, left)
        method = PaymentMethod.objects.get(customer=account.customer, public_id=public_id)
        books.pay(account, amount_minor=amount_minor, method=method)
        left -= amount_minor
    return method


def _ship(order: Order, sample: SampleOrder) -> None:
    """A prepared order has its parcel but no carrier yet."""
    is_sent = sample.status != Order.Status.PROCESSED
    sent_at = _placed_at(sample) + timedelta(days=1, hours=5)
    shipment = Shipment.objects.create(
        order=order,
        carrier=sample.carrier if is_sent else "",
        tracking=[f"00340{sample.number[-5:]}{sample.days_ago:04d}"] if is_sent else [],
        sent_at=sent_at if is_sent else None,
        expected_on=(sent_at + timedelta(days=6)).date() if sample.status == Order.Status.SHIPPED else None,
        delivered_at=sent_at + timedelta(days=3) if sample.status in _ARRIVED else None,
    )
    shipment.lines.set(order.lines.all())
    for nth, text in enumerate(sample.news, 1):
        shipment.events.create(at=sent_at + timedelta(hours=9 * nth), text=text)


def _finish(order: Order, sample: SampleOrder, *, line: OrderLine, method: PaymentMethod) -> None:
    """What happened after the order was paid and sent."""
    if sample.status == Order.Status.CANCELLED:
        cancel_order(order, reason=sample.reason)
    elif sample.status == Order.Status.RETURN_REQUESTED:
        Return.objects.create(order=order, method=method).lines.add(line)
    elif sample.status == Order.Status.EXCHANGE_REQUESTED:
        same_price = line.variant.product.variants.filter(price_minor=line.price_minor)
        exchange = Exchange.objects.create(order=order, method=method, difference_minor=0)
        ExchangeLine.objects.create(
            exchange=exchange, line=line, variant=same_price.exclude(pk=line.variant_id).earliest("pk")
        )
