"""The sample shop's customers and its two members of staff. None of them exists."""

from dataclasses import dataclass

PASSWORD = "demo"  # noqa: S105 - of the sample shop alone, and printed when it is loaded

STAFF = (
    ("reviewer", "Rosa", "Review", "May read every conversation and approve: /staff/"),
    ("admin", "Adam", "Admin", "May do everything: /admin/"),
)


@dataclass(frozen=True)
class SampleCustomer:
    """`cards` maps a payment method to brand and last digits, or to a gift card's opening balance in cents."""

    username: str
    first_name: str
    last_name: str
    address: tuple[str, str, str, str, str, str]  # line1, line2, city, state, country, zip
    cards: dict[str, tuple[str, str] | int | None]
    about: str = ""

    @property
    def email(self) -> str:
        return f"{self.username}@example.com"


CUSTOMERS = (
    SampleCustomer(
        "anna",
        "Anna",
        "Weber",
        ("Lindenallee 14", "2nd floor", "Berlin", "", "Germany", "10585"),
        {"credit_card_4242": ("visa", "4242"), "gift_card_5107": 12000},
        "DZ-10423 is on its way, DZ-10428 can be cancelled, DZ-10414 can be refunded",
    ),
    SampleCustomer(
        "ben",
        "Ben",
        "Okafor",
        ("8 Harbour Row", "", "Dublin", "", "Ireland", "D04 X2K5"),
        {"paypal_2210": None},
        "two orders on the go, a note at the checkout",
    ),
    SampleCustomer(
        "clara",
        "Clara",
        "Moreau",
        ("27 rue des Tilleuls", "Bât. B", "Lyon", "", "France", "69003"),
        {"credit_card_1881": ("mastercard", "1881")},
        "one order waits, one is on its way",
    ),
    SampleCustomer(
        "david",
        "David",
        "Lindqvist",
        ("Björkgatan 5", "", "Uppsala", "", "Sweden", "753 28"),
        {"credit_card_9054": ("visa", "9054"), "gift_card_3320": 9000},
        "items of one order were changed, one order was cancelled",
    ),
    SampleCustomer(
        "elif",
        "Elif",
        "Yılmaz",
        ("Schanzenstraße 61", "", "Hamburg", "", "Germany", "20357"),
        {"paypal_7716": None, "gift_card_8842": 5000},
        "a gift card, one order on its way",
    ),
    SampleCustomer(
        "finn",
        "Finn",
        "Gallagher",
        ("3 Quay Street", "Flat 9", "Galway", "", "Ireland", "H91 T2C6"),
        {"credit_card_6011": ("mastercard", "6011")},
        "asked to return an order",
    ),
    SampleCustomer(
        "greta",
        "Greta",
        "Novak",
        ("Mariahilfer Zeile 120", "Tür 7", "Wien", "", "Austria", "1060"),
        {"credit_card_3737": ("amex", "3737"), "paypal_4455": None},
        "ordered today",
    ),
    SampleCustomer(
        "hugo",
        "Hugo",
        "Almeida",
        ("Rua das Oliveiras 45", "3.º Esq.", "Porto", "", "Portugal", "4050-449"),
        {"credit_card_5020": ("visa", "5020")},
        "a late parcel with a note that tries to give orders",
    ),
)
