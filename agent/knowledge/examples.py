"""What customers ask that a help article answers. The queries are the words to search for, not the sentence."""

from agent.tools import Example

_ANSWER = "%(summary)s\n\nFrom our help: [%(cite)s](%(link)s)"
_ANTWORT = "%(summary)s\n\nAus unserer Hilfe: [%(cite)s](%(link)s)"


def _asked(says: str, query: str, language: str = "en") -> Example:
    return Example(says, {"query": query}, _ANSWER if language == "en" else _ANTWORT, language)


SEARCH_HELP = (
    _asked("What is your return policy?", "returning items"),
    _asked("How do returns work?", "returning items"),
    _asked("How long does a refund take?", "refund duration"),
    _asked("When will I get my money back?", "refund duration"),
    _asked("How long does delivery usually take?", "delivery times"),
    _asked("Do you deliver abroad?", "delivery to other countries"),
    _asked("Which ways to pay do you accept?", "payment methods"),
    _asked("How do gift cards work?", "gift card rules"),
    _asked("How do exchanges work?", "exchanging an item"),
    _asked("Is there a warranty?", "warranty rules"),
    _asked("What do you do with my personal data?", "privacy and data protection"),
    _asked("How does this assistant work?", "the assistant and confirmations"),
    _asked("Wie funktioniert eine Rückgabe?", "Rückgabe von Artikeln", "de"),
    _asked("Wie lange dauert eine Erstattung?", "Dauer der Erstattung", "de"),
    _asked("Wie lange dauert die Lieferung normalerweise?", "Lieferzeiten", "de"),
    _asked("Was kostet eine Lieferung normalerweise?", "Versandkosten", "de"),
    _asked("Liefern Sie auch ins Ausland?", "Lieferung in andere Länder", "de"),
    _asked("Kann man bei Ihnen mit PayPal zahlen?", "Zahlungsarten", "de"),
    _asked("Wie funktioniert ein Umtausch?", "Artikel umtauschen", "de"),
    _asked("Gibt es eine Garantie?", "Gewährleistung", "de"),
    _asked("Was machen Sie mit meinen Daten?", "Datenschutz", "de"),
)
