"""A shop comes in from files and goes out again as it was."""

import json
import os
from pathlib import Path

import pytest
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from billing import selectors as ledger
from billing.models import Entry, GiftCardEntry, PaymentMethod
from orders.models import Address, Exchange, Order, OrderLine, Product, Return, Shipment, Variant
from orders.services import cancel_order
from orders.shop_files import Imported, export_shop, import_shop

FILES = ("customers", "orders", "products")
TABLES = (
    User,
    EmailAddress,
    Address,
    PaymentMethod,
    GiftCardEntry,
    Product,
    Variant,
    Order,
    OrderLine,
    Shipment,
    Entry,
    Return,
    Exchange,
)


@pytest.fixture(scope="module")
def real_shop():
    """A folder with 592 orders, not part of this project."""
    beside = Path(__file__).resolve().parents[2].parent / "shared" / "shop"
    folder = Path(os.environ.get("COUNTERSIGN_SHOP_DIR") or beside)
    if not (folder / "orders.jsonl").is_file():
        reason = "no shop to import: COUNTERSIGN_SHOP_DIR names no folder with orders.jsonl"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


def _read(folder):
    return {name: [json.loads(line) for line in (folder / f"{name}.jsonl").open()] for name in FILES}


def _write(folder, shop):
    for name, rows in shop.items():
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def _counts():
    return [model.objects.count() for model in TABLES]


ADDRESS = {"line1": "1 Road", "line2": "", "city": "Town", "state": "CA", "country": "USA", "zip": "94016"}


def _order(number, **about):
    return {
        "order": number,
        "customer": "eve_1",
        "status": "delivered",
        "ship_to": ADDRESS,
        "items": [{"sku": "s1", "price_cents": 500}, {"sku": "s1", "price_cents": 500}],
        "shipments": [{"tracking": ["123"], "skus": ["s1", "s1"]}],
        "payments": [{"kind": "payment", "amount_cents": 1000, "method": "gift_card_1"}],
        **about,
    }


@pytest.fixture
def small_shop():
    return {
        "customers": [
            {
                "customer": "eve_1",
                "first_name": "Eve",
                "last_name": "Ünal",
                "email": "Eve@example.com",
                "address": ADDRESS,
                "payment_methods": [{"id": "gift_card_1", "kind": "gift_card", "balance_cents": 300}],
                "orders": ["#W0000002", "#W0000001", "#W0000003"],
            }
        ],
        "orders": [
            _order("#W0000001", status="return requested", **{"return": {"skus": ["s1"], "method": "gift_card_1"}}),
            _order(
                "#W0000002",
                status="exchange requested",
                exchange={"old": ["s1"], "new": ["s2"], "method": "gift_card_1", "difference_cents": -20},
            ),
            _order("#W0000003", status="pending", shipments=[]),
        ],
        "products": [
            {
                "product": "p1",
                "name": "Mug",
                "variants": [
                    {"sku": "s1", "options": {"color": "red"}, "available": True, "price_cents": 500},
                    {"sku": "s2", "options": {"color": "blue"}, "available": False, "price_cents": 480},
                ],
            }
        ],
    }


@pytest.mark.django_db
def test_import_and_export_of_a_real_shop_give_it_back_field_for_field(real_shop, tmp_path):
    new = import_shop(real_shop, password="secret")

    assert export_shop(tmp_path) == {"customers": 293, "orders": 592, "products": 50}
    assert new == Imported(customers=293, orders=592, products=50)
    assert _read(tmp_path) == _read(real_shop)


@pytest.mark.django_db
def test_import_twice_changes_nothing(real_shop):
    import_shop(real_shop, password="secret")
    before = _counts()

    again = import_shop(real_shop, password="other")

    assert (again, _counts()) == (Imported(customers=0, orders=0, products=0), before)
    assert User.objects.first().check_password("secret")


@pytest.mark.django_db
def test_import_gives_all_customers_one_password_and_a_verified_address(real_shop):
    import_shop(real_shop, password="secret")

    assert User.objects.values("password").distinct().count() == 1
    assert User.objects.get(username="james_li_5688").check_password("secret")
    assert EmailAddress.objects.filter(verified=True, primary=True).count() == 293


@pytest.mark.django_db
def test_import_without_a_password_leaves_none_that_works(tmp_path, small_shop):
    _write(tmp_path, small_shop)
    import_shop(tmp_path)
    assert not User.objects.get().has_usable_password()


@pytest.mark.django_db
def test_returns_and_exchanges_survive_the_way_out_and_in(tmp_path, small_shop):
    _write(tmp_path, small_shop)

    import_shop(tmp_path)
    export_shop(tmp_path / "out")

    assert _read(tmp_path / "out") == small_shop


@pytest.mark.django_db
def test_import_reserves_what_an_exchange_is_to_take_from_a_gift_card(tmp_path, small_shop):
    small_shop["orders"][1]["exchange"]["difference_cents"] = 300
    _write(tmp_path, small_shop)

    import_shop(tmp_path)

    gift = PaymentMethod.objects.get()
    assert (ledger.gift_card_balance(gift), ledger.gift_card_free(gift)) == (300, 0)


@pytest.mark.django_db
def test_export_shows_what_was_done_since_the_import(tmp_path, small_shop):
    _write(tmp_path, small_shop)
    import_shop(tmp_path)

    cancel_order(Order.objects.get(number="#W0000003"), reason="no longer needed")
    export_shop(tmp_path)

    shop = _read(tmp_path)
    refund = {"kind": "refund", "amount_cents": 1000, "method": "gift_card_1"}
    assert shop["orders"][2]["payments"][1:] == [refund]
    assert (shop["orders"][2]["status"], shop["orders"][2]["cancel_reason"]) == ("cancelled", "no longer needed")
    assert shop["customers"][0]["payment_methods"][0]["balance_cents"] == 1300


@pytest.mark.django_db
def test_import_leaves_an_order_alone_that_was_changed_since(tmp_path, small_shop):
    _write(tmp_path, small_shop)
    import_shop(tmp_path)
    cancel_order(Order.objects.get(number="#W0000003"), reason="no longer needed")

    import_shop(tmp_path)

    assert Order.objects.get(number="#W0000003").status == "cancelled"


@pytest.mark.django_db
def test_import_adds_what_the_files_have_more_than_before(tmp_path, small_shop):
    _write(tmp_path, small_shop)
    import_shop(tmp_path)
    small_shop["customers"][0]["payment_methods"].append({"id": "paypal_1", "kind": "paypal"})
    small_shop["customers"][0]["orders"].insert(0, "#W0000004")
    small_shop["products"][0]["variants"].append(
        {"sku": "s3", "options": {"color": "green"}, "available": True, "price_cents": 700}
    )
    small_shop["orders"].append(
        _order(
            "#W0000004",
            items=[{"sku": "s3", "price_cents": 700}],
            shipments=[],
            payments=[{"kind": "payment", "amount_cents": 700, "method": "paypal_1"}],
        )
    )
    _write(tmp_path, small_shop)

    new = import_shop(tmp_path)

    assert new == Imported(customers=0, orders=1, products=0)
    assert Entry.objects.get(account__customer__username="eve_1", amount_minor=700).method.public_id == "paypal_1"


def _change(path, value):
    """A fault: the value put at that path of the shop."""

    def apply(shop):
        *way, last = path
        for step in way:
            shop = shop[step]
        shop[last] = value

    return apply


FAULTS = [
    (_change(("orders", 1, "status"), "lost"), r"orders\.jsonl, line 2: status: Input should be 'pending'"),
    (_change(("orders", 1, "items", 0, "price_cents"), 4.5), r"orders\.jsonl, line 2: items\.0\.price_cents"),
    (_change(("orders", 1, "items", 0, "sku"), "s9"), r"orders\.jsonl, line 2: .*does not have"),
    (_change(("orders", 0, "customer"), "nobody"), r"orders\.jsonl, line 1: customer nobody is not in customers"),
    (_change(("orders", 0, "order"), "X1"), r"orders\.jsonl, line 1: X1 does not fit"),
    (_change(("orders", 0, "order"), "w0000001"), r"orders\.jsonl, line 1: .* should be written #W0000001"),
    (_change(("orders", 0, "payments", 0, "method"), "paypal_1"), r"orders\.jsonl, line 1: payment method paypal_1"),
    (_change(("orders", 0, "payments", 0, "kind"), "refund"), r"orders\.jsonl, line 1: more was refunded"),
    (_change(("orders", 0, "order"), "#W0000002"), r"orders\.jsonl, line 2: #W0000002 stands in line 1 already"),
    (
        _change(("orders", 1, "exchange", "difference_cents"), 301),
        r"orders\.jsonl, line 2: gift_card_1 does not hold the difference",
    ),
    (_change(("customers", 0, "orders"), []), r"orders\.jsonl, line 1: order #W0000001 is missing from the list"),
    (_change(("customers", 0, "surname"), "x"), r"customers\.jsonl, line 1: surname: Extra inputs"),
    (_change(("customers", 0, "email"), "eve"), r"customers\.jsonl, line 1: email"),
    (_change(("customers", 0, "first_name"), "E\0ve"), r"customers\.jsonl, line 1: holds a NUL"),
    (_change(("products", 0, "variants", 1, "sku"), "s1"), r"products\.jsonl, line 1: s1 stands in line 1 already"),
    (_change(("products", 0, "variants", 0, "price_cents"), -1), r"products\.jsonl, line 1: variants\.0\.price_cents"),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("fault", "sentence"), FAULTS, ids=[sentence for _, sentence in FAULTS])
def test_a_fault_in_the_files_is_named_and_nothing_is_imported(tmp_path, small_shop, fault, sentence):
    fault(small_shop)
    _write(tmp_path, small_shop)

    with pytest.raises(CommandError, match=sentence + r".*\. Nothing was imported\.$"):
        call_command("import_shop", tmp_path)

    assert not any(_counts())


@pytest.mark.django_db
@pytest.mark.parametrize("text", [b"{", b"[]", b'"x"', b"\xff\xfe", b"[" * 100_000, b'{"a": NaN}'])
def test_a_line_that_is_no_object_is_named_and_nothing_is_imported(tmp_path, small_shop, text):
    _write(tmp_path, small_shop)
    with (tmp_path / "products.jsonl").open("ab") as file:
        file.write(text)

    with pytest.raises(CommandError, match=r"products\.jsonl, line 2: "):
        call_command("import_shop", tmp_path)

    assert not any(_counts())


@pytest.mark.django_db
def test_a_file_that_is_missing_is_named(tmp_path, small_shop):
    _write(tmp_path, small_shop)
    (tmp_path / "orders.jsonl").unlink()

    with pytest.raises(CommandError, match=r"/orders\.jsonl: cannot be read \(No such file"):
        call_command("import_shop", tmp_path)

    assert not any(_counts())


@pytest.mark.django_db
def test_an_address_of_another_account_is_named_and_nothing_is_imported(tmp_path, small_shop, bob):
    EmailAddress.objects.create(user=bob, email="eve@example.com", verified=True)
    _write(tmp_path, small_shop)

    with pytest.raises(CommandError, match=r"customers\.jsonl, line 1: Eve@example\.com belongs to another account"):
        call_command("import_shop", tmp_path)

    assert (User.objects.count(), Order.objects.count()) == (1, 0)
