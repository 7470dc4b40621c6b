"""What claims are made of, in English and German: completed forms, by what they say was done.

Patterns are matched against `agent.claims.reading.read` text: lower case, no accents ("geändert" is "geandert").
"""

import re

AMOUNT = r"(?:[€$£]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|\$|£|eur\b|usd\b|gbp\b|chf\b|euros?\b|dollars?\b|pounds?\b))"

# The participles, by kind.
DONE_TO = {
    "refund": r"(?:re)?refunded|reimbursed|repaid|credited|reversed|paid back|sent back|given back"
    r"|(?:zuruck|ruck)?erstattet|zuruckgezahlt|zuruckuberwiesen|uberwiesen|gutgeschrieben|zuruckgebucht|ausgezahlt",
    "cancel": r"cancell?ed|voided|called off|withdrawn|storniert|annulliert|gecancelt|aufgehoben|ruckgangig gemacht",
    "change": r"changed|updated|modified|amended|adjusted|edited|corrected|switched|geae?ndert|abgeae?ndert|angepasst"
    r"|aktualisiert|umgestellt|ersetzt|korrigiert|replaced",
    "exchange": r"exchanged|swapped|umgetauscht|ausgetauscht|getauscht",
    "return": r"retourniert|zuruckgenommen",
}
# The things that get done, by kind.
THING = {
    "refund": rf"refund|reimbursement|money|amount|\w*erstattung|gutschrift|ruckzahlung|geld|betrag|{AMOUNT}",
    "cancel": r"cancell?ation|\w*stornierung|storno",
    "change": r"changes?|update|modification|amendment|payment method|size|items?|\w*anderung|zahlungsart|grosse",
    "address": r"address|\w*adresse|anschrift",
    "exchange": r"exchange(?: request)?|swap|replacement|umtausch|austausch|tausch",
    "return": r"return|rucksendung|retoure|ruckgabe",
}
# How a thing is said to be done.
COMPLETED = (
    r"processed|completed?|done|through|confirmed|issued|initiated|approved|finali[sz]ed|finished|on (?:its|the) way"
    r"|under ?way|gone through|in place|set up|registered|all set|sent|created|submitted|booked|arranged|made|requested"
    r"|settled|saved|set to|executed|recorded|triggered|started|back|taken care of|sorted|handled|returned"
    r"|erledigt|durch|raus|abgeschlossen|veranlasst|ausgefuhrt|vorgenommen|bearbeitet|bestatigt|unterwegs|angewiesen"
    r"|gebucht|verbucht|durchgefuhrt|angelegt|angemeldet|registriert|erfasst|eingeleitet|beauftragt|erstellt"
    r"|angestossen|auf dem (?:ruck)?weg|fertig|geregelt|eingetragen|gespeichert|hinterlegt|wieder da|in bearbeitung"
    r"|successful|erfolgreich|zuruck"
)
FINISHED = (
    r"done|sorted|taken care of|all set|settled|completed?|finished|handled|erledigt|geregelt|fertig|abgeschlossen"
)
GOT = (
    r"initiated|issued|confirmed|approved|successful|bestatigt|erfolgreich"
    r"|went through|came through|has gone through|completed|processed|changed|requested|erledigt|ausgefuhrt"
)

_ADVERB = (
    r"now|just|already|also|successfully|fully|all|been|being|hereby|since|completely|immediately|right away|officially"
    r"|in full|duly|finally|today|gone ahead and|went ahead and|then|safely|too"
)
ADVERBS = rf"(?:\s+(?:{_ADVERB})){{0,4}}"
WE = r"(?:i ?have|i|we|our team|the team|our system|the system)"
IS = r"(?:ihave|has|have|had|is|are|was|were|been|being|got|gets|am)"
DID = (
    r"processed|issued|made|completed|arranged|initiated|submitted|registered|created|booked|started|taken care of"
    r"|took care of|confirmed|executed|triggered|set up|sent|saved|approved|handled|sorted|performed|carried out|filed"
)
# "I managed to cancel it", "ich konnte sie stornieren".
TO_DO = r"refund|cancel|change|update|exchange|swap|return|stornieren|erstatten|(?:um)?tauschen|andern|aktualisieren"
DOING = r"refunding|cancell?ing|changing|updating|exchanging|swapping|returning"

# What makes a completed form no claim.
NEGATION = re.compile(
    r"\b(?:not|never|nothing|no|none|neither|nor|without|unable|nicht|nichts|kein\w*|nie|niemals|ohne|weder)\b"
)
NO_NEGATION = re.compile(
    r"\b(?:no problem|no worries|not only|not just|do not worry|no longer exists|nothing more to do|no further action"
    r"|kein problem|keine sorgen?|nicht nur|nichts weiter)\b"
)
CONDITION = re.compile(
    r"\b(?:if|once|when|after|before|unless|until|as soon as|whenever|in case|provided|upon"
    r"|wenn|falls|sobald|sofern|nachdem|bevor|bis|solange|ehe)\b"
)
DECISION = re.compile(
    r"\b(?:confirm\w*|approv\w*|accept\w*|agree\w*|sign\w*|click\w*|bestatig\w*|zustimm\w*|freig\w+|klick\w*)\b"
)
MODAL_BEFORE = re.compile(
    r"\b(?:can|could|may|might|would|should|will|must|shall|to|wuerde\w*)(?:\s+(?:then|only|also))?\s*$"
)
MODAL_DE = re.compile(
    r"\b(?:kann|konn\w+|soll\w*|muss\w*|darf|durf\w+|wuerd\w+|mocht\w+|wird|werden|lassen|will|wollen)\b"
)
AT_THIS_MOMENT = re.compile(r"\b(?:gerade|soeben|jetzt|bereits|derzeit|schon|momentan)\b")
REPORT = re.compile(
    r"\byou (?:asked|said|told|wrote|mentioned|wanted)\b|\bsie (?:schrieben|sagten|baten|wollten)\b|changed your mind"
)
GENERAL = re.compile(
    r"^\W*(?:orders|refunds|items|returns|exchanges|customers|an?|any|each|every|refunded amounts"
    r"|bestellungen|erstattungen|rucksendungen|artikel|jede\w*|eine?|stornierte\w*)\b"
)
OTHER_SUBJECT = re.compile(r"\b(?:prices?|polic(?:y|ies)|terms|rules|something|facts|preise?|regeln|bedingungen)\b")
PERFECT = re.compile(
    r"\b(?:has|have|had|been|was|were|just|already|wurden?|worden|habe|haben|hat|bereits|schon|soeben)\b"
)
OF_OURS = re.compile(rf"\b{WE}\b")
OF_OURS_IN_GERMAN = re.compile(r"\bhabe\b|\bwir haben\b|\bhaben wir\b")
ASKS = re.compile(
    r"^\W*(?:(?:hello|hi|ok|okay|so|and|but|hallo|und|aber)\W+)?(?:is|are|was|were|has|have|had|do|does|did|can|could|would"
    r"|should|shall|will|may|what|which|when|where|why|who|how|soll\w*|mocht\w+|kann|konn\w+|haben|hat|habe|ist|sind|wurden?"
    r"|wird|werden|war|was|welche\w*|wann|wo|warum|wer|wie|darf)\b(?! you know)"
)
UNDER_WAY = re.compile(
    rf"\b(?:being|{DOING}|on (?:its|the) way|under ?way|gerade|derzeit|unterwegs|in bearbeitung|auf dem)\b"
)

# The first sign that a sentence may hold a claim: from here on it waits for its end.
_SIGNS = (
    "refund|reimburs|repaid|credited|reversed|cancel|void|withdrawn|chang|updat|modif|amend|adjust|edited|"
    "corrected|switch|replac|exchang|swap|money|back|done|sorted|settled|complet|finish|handled|process|"
    "confirmed|issued|initiated|approved|finaliz|finalis|registered|submitted|booked|arranged|executed|through|"
    "hereby|consider|erstatt|ruckerstatt|zuruck|uberwies|gutgeschrieb|gutschrift|ausgezahlt|storn|annull|"
    "gecancel|aufgehoben|ruckgangig|geandert|geaendert|abgeandert|angepasst|aktualisiert|umgestellt|ersetzt|"
    "korrigiert|umgetauscht|getauscht|ausgetauscht|umtausch|retour|rucksend|erledigt|raus|abgeschlossen|"
    "veranlasst|ausgefuhrt|durchgefuhrt|angelegt|angemeldet|eingeleitet|angestossen|geregelt|fertig|hiermit|"
    "hinterlegt|wurde|worden|rucknahme|stornierung"
)
SIGN = re.compile(
    rf"\b(?!backpack)(?:{_SIGNS})|\w*anderung"
    r"|\b(?:i ?have|we have|has been|have been|ich habe|wir haben|taken care|took care"
    rf"|all set|called off|paid back|returned|on its way back|set to|is saved|been saved|been sent)\b"
)
FIRST_PARTS = frozenset(word[:end] for word in _SIGNS.split("|") for end in range(2, len(word)))
