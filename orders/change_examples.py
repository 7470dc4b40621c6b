"""What customers say when they want a change, a return or an exchange; rows as in `orders.tool_examples`."""

from typing import Any

from orders.tool_examples import Row

_LINDEN = {"line1": "Lindenallee 20", "city": "Berlin", "state": "", "country": "Germany", "zip": "10585"}
_HARBOUR = {
    "line1": "12 Harbour Row",
    "line2": "Flat 3",
    "city": "Dublin",
    "state": "",
    "country": "Ireland",
    "zip": "D04 X2K5",
}
_MAPLE = {"line1": "9 Maple Drive", "city": "Denver", "state": "CO", "country": "USA", "zip": "80279"}

_CHANGED = "Order %(order_number)s now holds %(items_text)s: %(difference_text)s."
_CHANGED_DE = "Bestellung %(order_number)s enthält jetzt %(items_text)s: %(difference_text)s."
_EXCHANGED = "%(summary)s %(difference_text)s."
_RETURNED = "%(summary)s %(refund_text)s."
_SENT = "Order %(order_number)s goes to %(ship_to)s."
_SENT_DE = "Bestellung %(order_number)s geht an %(ship_to)s."
_HOME = "Your default address is %(default_address)s."
_HOME_DE = "Ihre Adresse ist %(default_address)s."


def _swaps(number: str, method: str, *pairs: tuple[str, str]) -> dict[str, Any]:
    changes = [{"sku": old, "new_sku": new} for old, new in pairs]
    return {"order_number": number, "changes": changes, "payment_method": method}


_LAMP = _swaps("DZ-10430", "credit_card_3737", ("LAMP-BRAS-USBC", "LAMP-BLAC-USBC"))
_KETTLE = _swaps(
    "DZ-10428", "gift_card_5107", ("KETTLE-STEE-10L", "KETTLE-BLAC-10L"), ("BEANS-MEDI-250G", "BEANS-DARK-250G")
)
_BELL = _swaps("DZ-10429", "paypal_2210", ("BELL-BLAC-25MM", "BELL-BRAS-25MM"))

CHANGE_ITEMS: list[Row] = [
    ("Change the lamp in DZ-10430 to the black one, the difference on my card ending 3737", _LAMP, _CHANGED, "en"),
    ("DZ-10428 is not sent yet: make the kettle black and the beans dark, gift card please", _KETTLE, _CHANGED, "en"),
    ("Can I still swap the black bell in DZ-10429 for brass? PayPal is fine", _BELL, _CHANGED, "en"),
    ("In meiner offenen Bestellung DZ-10430 bitte die Lampe in Schwarz statt Messing", _LAMP, _CHANGED_DE, "de"),
    ("Ändern Sie in DZ-10429 die Klingel in Messing, Unterschied über PayPal", _BELL, _CHANGED_DE, "de"),
]

_TO_GIFT_CARD = {"order_number": "#W7242815", "payment_method": "gift_card_5107"}
_TO_PAYPAL = {"order_number": "DZ-10430", "payment_method": "paypal_4455"}

CHANGE_PAYMENT: list[Row] = [
    ("Pay DZ-10430 with PayPal instead of my card", _TO_PAYPAL, "%(summary)s.", "en"),
    ("I want to use another payment method for DZ-10430: PayPal", _TO_PAYPAL, "%(summary)s.", "en"),
    ("Please switch #W7242815 to my gift card gift_card_5107", _TO_GIFT_CARD, "%(summary)s.", "en"),
    ("Bezahlen Sie DZ-10430 bitte über PayPal statt mit der Karte", _TO_PAYPAL, "%(summary)s.", "de"),
    ("Ich möchte für #W7242815 eine andere Zahlungsart: meine Geschenkkarte", _TO_GIFT_CARD, "%(summary)s.", "de"),
]

CHANGE_SHIPPING_ADDRESS: list[Row] = [
    (
        "Send DZ-10428 to Lindenallee 20, 10585 Berlin, Germany instead",
        {"order_number": "DZ-10428", **_LINDEN},
        _SENT,
        "en",
    ),
    (
        "Wrong address on DZ-10429: it should go to 12 Harbour Row, Flat 3, Dublin D04 X2K5, Ireland",
        {"order_number": "DZ-10429", **_HARBOUR},
        _SENT,
        "en",
    ),
    (
        "Deliver #W7242815 to 9 Maple Drive, Denver, CO 80279, USA",
        {"order_number": "#W7242815", **_MAPLE},
        _SENT,
        "en",
    ),
    (
        "Schicken Sie DZ-10428 bitte an die Lindenallee 20, 10585 Berlin",
        {"order_number": "DZ-10428", **_LINDEN},
        _SENT_DE,
        "de",
    ),
    (
        "Die Lieferadresse von DZ-10428 ist falsch, richtig ist Lindenallee 20, 10585 Berlin",
        {"order_number": "DZ-10428", **_LINDEN},
        _SENT_DE,
        "de",
    ),
]

CHANGE_DEFAULT_ADDRESS: list[Row] = [
    ("I have moved: 9 Maple Drive, Denver, CO 80279, USA is my new address", _MAPLE, _HOME, "en"),
    ("Please change the address in my account to Lindenallee 20, 10585 Berlin, Germany", _LINDEN, _HOME, "en"),
    ("Change my address to 9 Maple Drive, Denver, CO 80279, USA", _MAPLE, _HOME, "en"),
    ("My default address should be 12 Harbour Row, Flat 3, Dublin D04 X2K5, Ireland", _HARBOUR, _HOME, "en"),
    ("Ich bin umgezogen: Lindenallee 20, 10585 Berlin", _LINDEN, _HOME_DE, "de"),
    ("Ändern Sie die Adresse in meinem Konto auf Lindenallee 20, 10585 Berlin", _LINDEN, _HOME_DE, "de"),
]


def _back(number: str, method: str, *skus: str) -> dict[str, Any]:
    return {"order_number": number, "skus": list(skus), "payment_method": method}


_LAMP_BACK = _back("DZ-10402", "credit_card_4242", "LAMP-BRAS-MAIN")
_TWO_BACK = _back("DZ-10414", "gift_card_5107", "KNIFE-OLIV-16CM", "BOARD-WALN-SMAL")
_MUGS_BACK = _back("DZ-10413", "gift_card_8842", "MUG-MOSS-250M", "MUG-MOSS-250M")

RETURN_ITEMS: list[Row] = [
    ("I want to return the lamp from DZ-10402, money back to my card", _LAMP_BACK, _RETURNED, "en"),
    ("Send the knife and the board of DZ-10414 back, refund on my gift card", _TWO_BACK, _RETURNED, "en"),
    ("Can I send back the lamp from DZ-10402?", _LAMP_BACK, _RETURNED, "en"),
    ("Both mugs in DZ-10413 shall go back", _MUGS_BACK, _RETURNED, "en"),
    ("Ich möchte die Lampe aus DZ-10402 zurückgeben, Geld bitte auf meine Karte", _LAMP_BACK, _RETURNED, "de"),
    ("Rücksendung: beide Becher aus DZ-10413", _MUGS_BACK, _RETURNED, "de"),
]

_JACKET = _swaps("DZ-10403", "credit_card_9054", ("JACKET-NAVY-L", "JACKET-NAVY-XL"))
_LAMP_SWAP = _swaps("DZ-10402", "credit_card_4242", ("LAMP-BRAS-MAIN", "LAMP-WHIT-MAIN"))
_MUGS_SWAP = _swaps("DZ-10405", "paypal_2210", ("MUG-SAND-400M", "MUG-SAND-250M"), ("MUG-BLUE-400M", "MUG-BLUE-250M"))

EXCHANGE_ITEMS: list[Row] = [
    ("The jacket from DZ-10403 is too small, exchange it for XL on my card", _JACKET, _EXCHANGED, "en"),
    ("Exchange the delivered lamp of DZ-10402 for a white one", _LAMP_SWAP, _EXCHANGED, "en"),
    ("I would like smaller mugs for both of DZ-10405 in exchange, PayPal", _MUGS_SWAP, _EXCHANGED, "en"),
    ("Bitte tauschen Sie die Jacke aus DZ-10403 in XL um", _JACKET, _EXCHANGED, "de"),
    ("Umtausch: die Lampe aus DZ-10402 gegen eine weiße", _LAMP_SWAP, _EXCHANGED, "de"),
]
