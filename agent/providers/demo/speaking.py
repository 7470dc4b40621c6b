"""What the demo model says, in English and German. It claims nothing that a result does not hold."""

import re
from collections.abc import Mapping
from typing import Any

from agent.providers.demo.choosing import Known
from agent.providers.demo.memory import Call
from agent.providers.demo.words import stems, words_of

SENTENCES = {
    "greeting": ("Hello. {can}", "Guten Tag. {can}"),
    "thanks": ("You are welcome.", "Gern geschehen."),
    "nothing": ("All right.", "In Ordnung."),
    "can": (
        "I am a demonstration model and understand simple requests. You can ask me, for instance:\n{list}",
        "Ich bin ein Demonstrationsmodell und verstehe einfache Anliegen. Sie können mich zum Beispiel fragen:\n{list}",
    ),
    "decline": ("I cannot help with that. {can}", "Dabei kann ich nicht helfen. {can}"),
    "ask": ("Please tell me: what is the {what}?", "Was soll ich nehmen ({what})?"),
    "ask_parts": ("What is missing of the address: {what}?", "Welche Angaben fehlen noch zur Adresse: {what}?"),
    "ask_id": ("Which {what} is it about?", "Um welche Nummer geht es ({what})?"),
    "ask_amount": ("What amount should it be, for example 20.00?", "Um welchen Betrag geht es, zum Beispiel 20,00?"),
    "ask_choice": ("Please tell me the {what}: {list}?", "Bitte nennen Sie mir den passenden Punkt ({what}): {list}?"),
    "ask_which": ("Which {what} do you mean?\n{list}", "Was meinen Sie ({what})?\n{list}"),
    "ask_instead": ("What would you like instead of {what}?\n{list}", "Was möchten Sie statt {what}?\n{list}"),
    "ask_instead_free": ("What would you like instead of {what}?", "Was möchten Sie statt {what}?"),
    "ask_many": ("How many of these, out of {most}: {what}?", "Wie viele davon, von {most}: {what}?"),
    "not_now": ("That is not possible now. {what}", "Das ist jetzt nicht möglich. {what}"),
    "waiting": (
        "Nothing has been changed yet. I have prepared this: {what} Please open the page and confirm it there.",
        "Es wurde noch nichts geändert. Vorbereitet ist: {what} Bitte öffnen Sie die Seite und bestätigen Sie dort.",
    ),
    "no_such": (
        "I cannot find order {what} in your account. Please check the number.",
        "Ich finde die Bestellung {what} in Ihrem Konto nicht. Bitte prüfen Sie die Nummer.",
    ),
    "refused": ("That is not possible: {what}", "Das ist nicht möglich: {what}"),
    "failed": (
        "I could not do that; the system did not accept it.{what} A person can help you further.",
        "Das ist mir nicht gelungen; das System hat es nicht angenommen.{what} Ein Mensch kann Ihnen weiterhelfen.",
    ),
    "found": ("This is what I found:\n{list}", "Das habe ich gefunden:\n{list}"),
    "nothing_known": (
        "I found nothing about that, and I do not guess. A person can help you further.",
        "Dazu habe ich nichts gefunden, und ich rate nicht. Ein Mensch kann Ihnen weiterhelfen.",
    ),
    "found_nothing": ("I found nothing.", "Ich habe nichts gefunden."),
    "done": ("It was done: {what}", "Es wurde ausgeführt: {what}"),
    "declined": (
        "You declined, and nothing was changed: {what}",
        "Sie haben abgelehnt, und es wurde nichts geändert: {what}",
    ),
    "waits": (
        "You confirmed. A member of staff has to approve it too; nothing has been changed yet: {what}",
        "Sie haben bestätigt. Ein Mitglied des Teams muss noch zustimmen; bisher wurde nichts geändert: {what}",
    ),
    "not_approved": (
        "You confirmed, but a member of staff did not approve it, and nothing was changed: {what}",
        "Sie haben bestätigt, aber das Team hat nicht zugestimmt, und es wurde nichts geändert: {what}",
    ),
    "under_way": (
        "You confirmed, and it is under way; it is not done yet: {what}",
        "Sie haben bestätigt, und es ist unterwegs, aber noch nicht ausgeführt: {what}",
    ),
    "checked": (
        "You confirmed; whether it was done is being checked: {what}",
        "Sie haben bestätigt; ob es ausgeführt wurde, wird gerade geprüft: {what}",
    ),
    "asked_anew": (
        "The facts changed before staff could approve, and nothing was changed. You can ask for it again: {what}",
        "Die Angaben haben sich geändert, bevor das Team zustimmte; nichts wurde ausgeführt. Neu anfordern: {what}",
    ),
    "impossible": (
        "You confirmed, but it was not possible, and nothing was changed: {what}",
        "Sie haben bestätigt, aber es war nicht möglich, und es wurde nichts geändert: {what}",
    ),
}
# What arguments are called; others by their own names.
FIELDS = {
    "line1": ("street and house number", "Straße und Hausnummer"),
    "zip": ("zip code", "Postleitzahl"),
    "city": ("city", "Ort"),
    "state": ("state", "Bundesstaat"),
    "country": ("country", "Land"),
    "skus": ("item", "Artikel"),
    "changes": ("item", "Artikel"),
    "payment_method": ("payment method", "Zahlungsart"),
    "order_number": ("order number", "Bestellnummer"),
    "reason": ("reason", "Grund"),
}
# What is said without wanting anything, by its kind: the sentence above that answers it.
SMALL_TALK = {
    "thanks": {"thanks", "thank", "danke", "dankeschön", "dank", "thx"},
    "can": {"help", "hilfe"},
    "greeting": {
        "hello",
        "hi",
        "hey",
        "hallo",
        "moin",
        "servus",
        "good",
        "guten",
        "morning",
        "evening",
        "morgen",
        "tag",
    },
    "nothing": {
        "no",
        "nein",
        "never",
        "mind",
        "nevermind",
        "egal",
        "nothing",
        "nichts",
        "okay",
        "ok",
        "vielen",
        "very",
    },
}

# Texts that the host writes for a model; what it writes for a customer is quoted as it is.
NOT_WANTED = re.compile(r"\s*(?:please |bitte )?(?:do not|don['’]?t(?! you)|never|nicht)\b", re.I)
FOR_THE_MODEL = re.compile(
    r"invalid arguments|unknown tool|internal error|not run:|too many calls|.* is (not offered|switched off)", re.S
)
NOTHING_KNOWN = re.compile(r"[^.]*; do not guess\b.*", re.S)
NO_SUCH = "no such order for this customer"
# What news says that is neither done nor over, and how it is said.
STILL_OPEN = {
    "has to approve it too": "waits",
    "did not approve it": "not_approved",
    "is under way": "under_way",
    "is being checked": "checked",
    "the facts had changed": "asked_anew",
}
NEWS = re.compile(r"News about the proposal: (?P<what>.*?)\.? (?:The customer|Staff) (?P<how>.*)", re.S)


def say(name: str, language: str, **values: str) -> str:
    """A sentence of the table above."""
    return SENTENCES[name][language == "de"].format(**values)


def small_talk(text: str, language: str, tools: list[Known]) -> str:
    """The answer to a greeting, to thanks, to a no or to a call for help; empty where anything else is said."""
    if NOT_WANTED.match(text):
        return say("nothing", language)
    words = set(words_of(text))
    kind = next((name for name, keys in SMALL_TALK.items() if keys & words), "")
    if not kind or re.search(r"\d", text) or stems(text) - stems(" ".join(set().union(*SMALL_TALK.values()))):
        return ""
    can = abilities(language, tools)
    return can if kind == "can" else say(kind, language, can=can)


def abilities(language: str, tools: list[Known]) -> str:
    """That this is a demonstration, and one thing to ask for each tool."""
    says = [next((e.says for e in tool.examples if e.language == language), "") for tool in tools]
    return say("can", language, list="\n".join(f"- {text}" for text in says if text))


def of_result(call: Call, tool: Known | None, language: str, asked: str) -> str:
    """A result in words: an error, a proposal, an example's answer, or simply what it holds."""
    result = call.result
    if "error" in result:
        return _of_error(call, language)
    if result.get("status") == "awaiting_confirmation":
        return say("waiting", language, what=_sentence(result.get("proposal") or result.get("message") or ""))
    return _by_example(result, tool, language, asked) or _listed(result, language)


def of_news(text: str, language: str) -> str:
    """What became of a proposal, from the message that says so, and nothing more."""
    found = NEWS.fullmatch(text)
    if found is None:
        return text
    what, how = found["what"], found["how"]
    reference = re.search(r"\s*Reference (\S+?)\.?$", how)
    ending = f" ({reference[1]})" if reference else ""
    if re.match(r"confirmed(, a member of staff approved it)?, and it was done", how):
        return say("done", language, what=f"{what.rstrip('.')}{ending}.")
    if how.startswith("declined"):
        return say("declined", language, what=f"{what.rstrip('.')}{ending}.")
    for sign, sentence in STILL_OPEN.items():
        if sign in how:
            return say(sentence, language, what=f"{what.rstrip('.')}{ending}.")
    if re.match(r"confirmed, (and staff approved, )?but it (was not possible|could not be carried out)", how):
        reason = how[: reference.start() if reference else None].partition(":")[2].replace("Nothing was changed.", "")
        return say("impossible", language, what=reason.strip() + ending)
    return text


def field_words(name: str, language: str) -> str:
    """What an argument is called."""
    return FIELDS[name][language == "de"] if name in FIELDS else name.replace("_", " ")


def question_for(name: str, kind: str, choices: list[Any], language: str) -> str:
    """Ask for what is missing."""
    what = field_words(name, language)
    if choices:
        listed = ", ".join(str(choice).replace("_", " ") for choice in choices)
        return say("ask_choice", language, what=what, list=listed)
    return say({"id": "ask_id", "amount": "ask_amount"}.get(kind, "ask"), language, what=what)


def which(name: str, choices: list[str], language: str) -> str:
    """Ask which of these is meant."""
    what = field_words(name, language).removesuffix(" number")
    return say("ask_which", language, what=what, list=_bullets(choices))


def which_instead(old: str, choices: list[str], language: str) -> str:
    """Ask what a thing is to become."""
    return say("ask_instead" if choices else "ask_instead_free", language, what=old, list=_bullets(choices))


def missing_parts(parts: list[str], language: str) -> str:
    """Ask for the rest of an address, all at once."""
    return say("ask_parts", language, what=", ".join(field_words(part, language) for part in parts))


def not_now(call: Call, tool: Known, language: str) -> str:
    """That a record does not allow it, with what it says."""
    return say("not_now", language, what=of_result(call, tool, language, ""))


def _bullets(texts: list[str]) -> str:
    return "\n".join(f"- {text}" for text in texts[:10])


def rows(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of the first list in a result."""
    lists = [value for value in result.values() if isinstance(value, list) and value and isinstance(value[0], dict)]
    return lists[0] if lists else []


def row_in_words(row: Mapping[str, Any]) -> str:
    """The first few plain facts of a row."""
    return ", ".join(_plain(value) for value in list(row.values())[:6] if _is_plain(value))


def _of_error(call: Call, language: str) -> str:
    error = str(call.result["error"])
    if error == NO_SUCH:
        number = next((str(value) for value in call.arguments.values() if re.search(r"\d", str(value))), "")
        return say("no_such", language, what=number)
    if NOTHING_KNOWN.match(error):
        return say("nothing_known", language)
    if FOR_THE_MODEL.match(error):
        reference = call.result.get("reference")
        return say("failed", language, what=f" ({reference})" if reference else "")
    return say("refused", language, what=_sentence(_plain(error)))


def _by_example(result: Mapping[str, Any], tool: Known | None, language: str, asked: str) -> str:
    """The answer of the example that is nearest to what was asked, among those that the result can fill."""
    examples = [e for e in (tool.examples if tool else ()) if e.answer and e.language == language]
    words = stems(asked)
    for example in sorted(examples, key=lambda e: -len(words & stems(e.says)) / (len(stems(e.says)) or 1)):
        keys = re.findall(r"%\((\w+)\)", example.answer)
        if all(_is_plain(result.get(key)) for key in keys):
            answer = example.answer % {key: _plain(result[key]) for key in keys}
            listed = [f"- {row_in_words(row)}" for row in rows(result)[:10]]
            return "\n".join([answer, *listed]) if answer.rstrip().endswith(":") else answer
    return ""


def _listed(result: Mapping[str, Any], language: str) -> str:
    lines = [f"- {key.replace('_', ' ')}: {_plain(value)}" for key, value in result.items() if _is_plain(value)]
    lines += [f"- {row_in_words(row)}" for row in rows(result)[:10]]
    return say("found", language, list="\n".join(lines)) if lines else say("found_nothing", language)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int) and value != "" and not isinstance(value, bool)


def _plain(value: Any) -> str:
    """Text without the fence around what came from outside."""
    return re.sub(r"\s?</?untrusted_content[^<>]*+>\s?", "", str(value)).strip()


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
