"""Writes a shop's files to the database: all of it or nothing, and twice does what once does."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import transaction

from billing.models import IMPORTED, Account, Entry, GiftCardEntry, PaymentMethod, Reservation
from orders.errors import ShopFileError
from orders.models import Address, Exchange, ExchangeLine, Order, OrderLine, Product, Return, Shipment, Variant
from orders.shop_files.reading import CUSTOMERS, ShopFiles, read_shop
from orders.shop_files.rows import AddressRow, CustomerRow, ExchangeRow, OrderRow, PaymentRow

BATCH = 500
CURRENCY = "USD"  # the files say cents


@dataclass(frozen=True)
class Imported:
    """How many rows were new; what was there before is left as it is."""

    customers: int
    orders: int
    products: int


def import_shop(folder: Path, *, password: str | None = None, currency: str = CURRENCY) -> Imported:
    """Read a folder of shop files into the database.

    User name = customer id; every address is verified; all customers get the one password, or none that works.
    A row that exists is left alone, so that it can be run again, also with more in the files. Raises ShopFileError.
    """
    shop = read_shop(folder)
    with transaction.atomic():
        return Loader(shop, currency=currency).load(password)


class Loader:
    """One import: remembers which row of the database a name in the files became."""

    def __init__(self, shop: ShopFiles, *, currency: str) -> None:
        self.shop = shop
        self.currency = currency
        self.users: dict[str, User] = {}
        self.methods: dict[tuple[str, str], PaymentMethod] = {}
        self.variants: dict[str, Variant] = {}
        self.sequences = {number: at for row in shop.customers for at, number in enumerate(row.orders, 1)}

    def load(self, password: str | None) -> Imported:
        products = self._load_products()
        customers = self._load_customers(password)
        return Imported(customers=customers, orders=self._load_orders(), products=products)

    def _load_products(self) -> int:
        known = set(Product.objects.values_list("code", flat=True))
        rows = [row for row in self.shop.products if row.product not in known]
        Product.objects.bulk_create([Product(code=row.product, name=row.name) for row in rows], BATCH)
        products = {product.code: product for product in Product.objects.all()}
        skus = set(Variant.objects.values_list("sku", flat=True))
        Variant.objects.bulk_create(
            [
                Variant(
                    product=products[row.product],
                    sku=v.sku,
                    options=v.options,
                    price_minor=v.price_cents,
                    currency=self.currency,
                    available=v.available,
                )
                for row in self.shop.products
                for v in row.variants
                if v.sku not in skus
            ],
            BATCH,
        )
        self.variants = {variant.sku: variant for variant in Variant.objects.all()}
        return len(rows)

    def _load_customers(self, password: str | None) -> int:
        names = [row.customer for row in self.shop.customers]
        known = set(get_user_model().objects.filter(username__in=names).values_list("username", flat=True))
        rows = [row for row in self.shop.customers if row.customer not in known]
        self._check_emails(rows)
        one_hash = make_password(password)  # once: a hash takes a second, and there may be thousands of customers
        users = get_user_model().objects.bulk_create(
            [
                User(
                    username=r.customer,
                    first_name=r.first_name,
                    last_name=r.last_name,
                    email=r.email,
                    password=one_hash,
                )
                for r in rows
            ],
            BATCH,
        )
        EmailAddress.objects.bulk_create(
            [EmailAddress(user=user, email=user.email.lower(), verified=True, primary=True) for user in users], BATCH
        )
        pairs = list(zip(users, rows, strict=True))
        Address.objects.bulk_create([_address(row.address, user, is_default=True) for user, row in pairs], BATCH)
        self.users = {user.username: user for user in get_user_model().objects.filter(username__in=names)}
        self._load_methods()
        return len(rows)

    def _check_emails(self, rows: list[CustomerRow]) -> None:
        taken = set(EmailAddress.objects.filter(verified=True).values_list("email", flat=True))
        for line, row in enumerate(self.shop.customers, 1):
            if row in rows and row.email.lower() in taken:
                raise ShopFileError(
                    place=f"{CUSTOMERS}, line {line}", fault=f"{row.email} belongs to another account already"
                )

    def _load_methods(self) -> None:
        self.methods = self._known_methods()
        wanted = [
            (self.users[row.customer], method)
            for row in self.shop.customers
            for method in row.payment_methods
            if (row.customer, method.id) not in self.methods
        ]
        made = PaymentMethod.objects.bulk_create(
            [
                PaymentMethod(
                    customer=user,
                    public_id=m.id,
                    kind=m.kind,
                    brand=m.brand or "",
                    last4=m.last4 or "",
                    currency=self.currency,
                )
                for user, m in wanted
            ],
            BATCH,
        )
        GiftCardEntry.objects.bulk_create(
            [
                GiftCardEntry(method=method, kind=GiftCardEntry.Kind.OPENING, amount_minor=m.balance_cents)
                for method, (_, m) in zip(made, wanted, strict=True)
                if m.balance_cents
            ],
            BATCH,
        )
        self.methods = self._known_methods()

    def _known_methods(self) -> dict[tuple[str, str], PaymentMethod]:
        found = PaymentMethod.objects.filter(customer__in=self.users.values()).select_related("customer")
        return {(method.customer.username, method.public_id): method for method in found}

    def _load_orders(self) -> int:
        known = set(Order.objects.values_list("number", flat=True))
        rows = [row for row in self.shop.orders if row.order not in known]
        owners = [self.users[row.customer] for row in rows]
        places = Address.objects.bulk_create(
            [_address(row.ship_to, user) for row, user in zip(rows, owners, strict=True)], BATCH
        )
        accounts = Account.objects.bulk_create([Account(customer=u, currency=self.currency) for u in owners], BATCH)
        orders = Order.objects.bulk_create(
            [
                Order(
                    number=row.order,
                    customer=account.customer,
                    status=row.status,
                    cancel_reason=row.cancel_reason or "",
                    currency=self.currency,
                    ship_to=place,
                    account=account,
                    sequence=self.sequences[row.order],
                )
                for row, place, account in zip(rows, places, accounts, strict=True)
            ],
            BATCH,
        )
        pairs = list(zip(orders, rows, strict=True))
        self._load_entries(pairs)
        self._load_parcels(pairs, self._load_lines(pairs))
        return len(rows)

    def _load_lines(self, pairs: list[tuple[Order, OrderRow]]) -> dict[int, list[OrderLine]]:
        lines = OrderLine.objects.bulk_create(
            [
                OrderLine(order=order, position=at, variant=self.variants[item.sku], price_minor=item.price_cents)
                for order, row in pairs
                for at, item in enumerate(row.items, 1)
            ],
            BATCH,
        )
        by_order = defaultdict(list)
        for line in lines:
            by_order[line.order_id].append(line)
        return by_order

    def _load_entries(self, pairs: list[tuple[Order, OrderRow]]) -> None:
        """The gift cards' balances in the files are those after these entries: no card moves here."""
        payments: dict[tuple[int, str], Entry] = {}
        rows = [(self._entry(o, r, p, at=at), p) for o, r in pairs for at, p in enumerate(r.payments, 1)]
        made = Entry.objects.bulk_create([entry for entry, p in rows if p.kind == "payment"], BATCH)
        for entry in made:
            payments.setdefault((entry.account_id, entry.method.public_id), entry)
            payments.setdefault((entry.account_id, ""), entry)
        refunds = [entry for entry, p in rows if p.kind == "refund"]
        for entry in refunds:
            own = payments.get((entry.account_id, entry.method.public_id))
            entry.payment = own or payments[entry.account_id, ""]
        Entry.objects.bulk_create(refunds, BATCH)

    def _entry(self, order: Order, row: OrderRow, payment: PaymentRow, *, at: int) -> Entry:
        """Its reference keeps it out of the limits of refunds: when it was booked is not known."""
        return Entry(
            account=order.account,
            kind=payment.kind,
            amount_minor=payment.amount_cents,
            currency=self.currency,
            method=self.methods[row.customer, payment.method],
            reference=f"{IMPORTED}:{at}",
        )

    def _load_parcels(self, pairs: list[tuple[Order, OrderRow]], lines: dict[int, list[OrderLine]]) -> None:
        """Shipments, returns and exchanges, with the lines that each names by sku."""
        parcels = [(order, parcel) for order, row in pairs for parcel in row.shipments]
        made = Shipment.objects.bulk_create(
            [Shipment(order=order, tracking=parcel.tracking) for order, parcel in parcels], BATCH
        )
        through = Shipment.lines.through
        through.objects.bulk_create(
            [
                through(shipment=shipment, orderline=line)
                for shipment, (order, parcel) in zip(made, parcels, strict=True)
                for line in _lines_with(parcel.skus, lines[order.pk])
            ],
            BATCH,
        )
        for order, row in pairs:
            if row.return_:
                method = self.methods[row.customer, row.return_.method]
                Return.objects.create(order=order, method=method).lines.set(
                    _lines_with(row.return_.skus, lines[order.pk])
                )
            if row.exchange:
                self._load_exchange(order, row.exchange, lines[order.pk])

    def _load_exchange(self, order: Order, asked: ExchangeRow, lines: list[OrderLine]) -> None:
        method = self.methods[order.customer.username, asked.method]
        exchange = Exchange.objects.create(order=order, method=method, difference_minor=asked.difference_cents)
        if order.account and method.is_gift_card and asked.difference_cents > 0:
            Reservation.objects.create(account=order.account, method=method, amount_minor=asked.difference_cents)
        ExchangeLine.objects.bulk_create(
            ExchangeLine(exchange=exchange, line=line, variant=self.variants[sku])
            for line, sku in zip(_lines_with(asked.old, lines), asked.new, strict=True)
        )


def _address(row: AddressRow, customer: User, *, is_default: bool = False) -> Address:
    return Address(customer=customer, is_default=is_default, **row.model_dump())


def _lines_with(skus: Iterable[str], lines: Iterable[OrderLine]) -> list[OrderLine]:
    """A line for each sku; one that is named twice takes two lines. The reader has checked that they are there."""
    free = list(lines)
    found = []
    for sku in skus:
        line = next(line for line in free if line.variant.sku == sku)
        free.remove(line)
        found.append(line)
    return found
