"""What customers say, the call that serves it, and an answer made from the call's result.

Plain rows (says, arguments, answer, language), so that they can be read and tested without the agent. `summary` and
the other ready words come in the customer's language from `orders.words`.
"""

from typing import Any

Row = tuple[str, dict[str, Any], str, str]

_WHERE = "%(summary)s It holds %(items_text)s."
_WHERE_DE = "%(summary)s Darin: %(items_text)s."
_TOTAL = "Order %(order_number)s comes to %(total)s: %(items_text)s."
_TOTAL_DE = "Bestellung %(order_number)s kostet zusammen %(total)s: %(items_text)s."

ORDER_STATUS: list[Row] = [
    ("Where is my order DZ-10423?", {"order_number": "DZ-10423"}, _WHERE, "en"),
    ("When will DZ-10423 arrive?", {"order_number": "DZ-10423"}, "%(summary)s", "en"),
    ("Has my parcel for #W2611340 been sent yet?", {"order_number": "#W2611340"}, "%(summary)s", "en"),
    ("What is the tracking number of DZ-10418?", {"order_number": "DZ-10418"}, "%(summary)s", "en"),
    ("What did I order in DZ-10414?", {"order_number": "DZ-10414"}, _WHERE, "en"),
    ("How much was order DZ-10414?", {"order_number": "DZ-10414"}, _TOTAL, "en"),
    ("What did I pay for DZ-10414?", {"order_number": "DZ-10414"}, _TOTAL, "en"),
    ("What is the total of DZ-10414?", {"order_number": "DZ-10414"}, _TOTAL, "en"),
    ("My package DZ-10423 is late", {"order_number": "DZ-10423"}, "%(summary)s", "en"),
    ("Can I still cancel DZ-10428?", {"order_number": "DZ-10428"}, "%(summary)s %(can_do_text)s", "en"),
    ("Wo ist meine Bestellung DZ-10423?", {"order_number": "DZ-10423"}, _WHERE_DE, "de"),
    ("Wie ist der Stand von DZ-10423?", {"order_number": "DZ-10423"}, _WHERE_DE, "de"),
    ("Wann kommt DZ-10423 an?", {"order_number": "DZ-10423"}, "%(summary)s", "de"),
    ("Wurde das Paket zu DZ-10422 schon verschickt?", {"order_number": "DZ-10422"}, "%(summary)s", "de"),
    ("Was habe ich für DZ-10414 bezahlt?", {"order_number": "DZ-10414"}, _TOTAL_DE, "de"),
]

LIST_ORDERS: list[Row] = [
    ("Show me my orders", {}, "%(summary)s", "en"),
    ("What have I ordered so far?", {}, "%(summary)s", "en"),
    ("Which orders do I have?", {}, "%(summary)s", "en"),
    ("What was my last order?", {}, "%(summary)s", "en"),
    ("Do I have any open orders?", {}, "%(summary)s", "en"),
    ("I do not remember my order number", {}, "%(summary)s", "en"),
    ("Zeigen Sie mir meine Bestellungen", {}, "%(summary)s", "de"),
    ("Was habe ich bisher bestellt?", {}, "%(summary)s", "de"),
    ("Welche Bestellungen habe ich?", {}, "%(summary)s", "de"),
]

FIND_PRODUCTS: list[Row] = [
    ("Do you sell mugs?", {"query": "mugs"}, "%(summary)s", "en"),
    ("Do you have teapots?", {"query": "teapots"}, "%(summary)s", "en"),
    ("Which backpacks do you have?", {"query": "backpacks"}, "%(summary)s", "en"),
    ("How much is the desk lamp?", {"query": "desk lamp"}, "%(summary)s", "en"),
    ("Is the rain jacket available in yellow?", {"query": "yellow rain jacket"}, "%(summary)s", "en"),
    ("What do you sell?", {"query": ""}, "%(summary)s", "en"),
    ("I am looking for a notebook", {"query": "notebook"}, "%(summary)s", "en"),
    ("Haben Sie Kettle?", {"query": "Kettle"}, "%(summary)s", "de"),
    ("Was kostet der Canvas Backpack?", {"query": "Canvas Backpack"}, "%(summary)s", "de"),
    ("Was verkaufen Sie?", {"query": ""}, "%(summary)s", "de"),
    ("Gibt es Merino Socks in navy?", {"query": "Merino Socks navy"}, "%(summary)s", "de"),
]

MY_ACCOUNT: list[Row] = [
    ("How much is left on my gift card?", {}, "%(payment_methods_text)s", "en"),
    ("Which payment methods do I have?", {}, "%(payment_methods_text)s", "en"),
    ("What is my address?", {}, "Your default address is %(default_address)s.", "en"),
    ("Which e-mail address do you have for me?", {}, "Your account has the address %(email)s.", "en"),
    ("Show me my account", {}, "%(summary)s", "en"),
    ("Wie viel ist noch auf meiner Geschenkkarte?", {}, "%(payment_methods_text)s", "de"),
    ("Welche Zahlungsarten habe ich?", {}, "%(payment_methods_text)s", "de"),
    ("Welche Adresse ist hinterlegt?", {}, "Ihre Adresse ist %(default_address)s.", "de"),
]

CANCEL_ORDER: list[Row] = [
    (
        "Cancel order DZ-10428, I no longer need it",
        {"order_number": "DZ-10428", "reason": "no longer needed"},
        "",
        "en",
    ),
    (
        "Please cancel DZ-10428, I ordered it by mistake",
        {"order_number": "DZ-10428", "reason": "ordered by mistake"},
        "",
        "en",
    ),
    ("I don't want #W5918442 any more", {"order_number": "#W5918442", "reason": "no longer needed"}, "", "en"),
    (
        "DZ-10430 was a mistake, can you call it off?",
        {"order_number": "DZ-10430", "reason": "ordered by mistake"},
        "",
        "en",
    ),
    (
        "Bitte stornieren Sie DZ-10428, ich brauche es nicht mehr",
        {"order_number": "DZ-10428", "reason": "no longer needed"},
        "",
        "de",
    ),
    (
        "Stornieren Sie die Bestellung DZ-10430, sie war ein Versehen",
        {"order_number": "DZ-10430", "reason": "ordered by mistake"},
        "",
        "de",
    ),
]

REFUND_ORDER: list[Row] = [
    ("Refund 42.00 for order DZ-10423", {"order_number": "DZ-10423", "amount": "42.00"}, "", "en"),
    ("I would like 16 euros back for DZ-10414", {"order_number": "DZ-10414", "amount": "16.00"}, "", "en"),
    (
        "The mug in DZ-10414 came broken, please give me 16.00 back",
        {"order_number": "DZ-10414", "amount": "16.00"},
        "",
        "en",
    ),
    (
        "Refund €20.00 of DZ-10414 to my gift card gift_card_5107",
        {"order_number": "DZ-10414", "amount": "20.00", "payment_method": "gift_card_5107"},
        "",
        "en",
    ),
    (
        "Bitte erstatten Sie mir 42,00 € für die Bestellung DZ-10423",
        {"order_number": "DZ-10423", "amount": "42.00"},
        "",
        "de",
    ),
    ("Ich möchte 16 Euro für DZ-10414 zurück", {"order_number": "DZ-10414", "amount": "16.00"}, "", "de"),
]
