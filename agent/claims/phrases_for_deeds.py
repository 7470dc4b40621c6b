"""Phrases for what is done, and when: taken back, paid back, sent elsewhere. Read by `agent.claims.phrases`."""

FOR_DEEDS: tuple[tuple[str, str], ...] = (
    (
        " ",
        r"""
        \bwent ahead and\b|\bgone ahead and\b|\bgo ahead and\b|\bgoing ahead and\b|\bgladly\b|\bpersonally\b
        """,
    ),
    (
        "looked",
        r"""
        \b(?:pulled|looked|brought|called) up\b|\b(?:taken|took|had|have) (?:a|another) (?:\w+ )?look\b
        \bgone (?:through|over)\b(?= your| the| all)|\bwent (?:through|over)\b(?= your orders| the orders| all)
        """,
    ),
    (
        "cancelled",
        r"""
        \bcalled (?:it |the order |that |them )?off\b|\bcall(?:ing)? off\b
        """,
    ),
    (
        "refunded",
        r"""
        \b(?:paid|gave|given|sent|booked|transferred)(?: \w+){0,3} back\b(?! to us)
        """,
    ),
    (
        "refund",
        r"""
        \b(?:pay|give|send|book|transfer)(?: \w+){0,3} back\b(?! to us)
        """,
    ),
    (
        "refunding",
        r"""
        \b(?:paying|giving|sending|booking|transferring)(?: \w+){0,3} back\b(?! to us)
        """,
    ),
    (
        r"\1 money back",
        r"""
        \b(get|got|gets|receive|received|have|getting|see)(?: \w+){1,4} back\b
        """,
    ),
    (
        " ",
        r"""
        \bfree of charge\b
        """,
    ),
    (
        "by",
        r"""
        \bno (?:later|more|less|sooner) than\b
        """,
    ),
    (
        "not a ",
        r"""
        \bno (?!more\b|longer\b)(?=\w)
        """,
    ),
    (
        "will not",
        r"""
        \bwon not\b
        """,
    ),
    (
        "erhalten geld",
        r"""
        \bzuruck(?:bekommen|erhalten)\b|\bgeld wieder\b
        """,
    ),
    (
        "storniert",
        r"""
        \bruckgangig gemacht\b|\bzuruckgezogen\b|\baus (?:dem|unserem) system genommen\b
        """,
    ),
    (
        "returnlabel",
        r"""
        \breturn labels?\b|\bshipping labels?\b|\bprepaid labels?\b
        """,
    ),
    (
        "newaddress",
        r"""
        \bnew (?:shipping |delivery |default |home |postal )?(?:address|street|destination)\b
        \bneuen? (?:liefer)?(?:adresse|anschrift)\b
        """,
    ),
    (
        "replacement",
        r"""
        \bnew (?!question|order|page|message|number|proposal|confirmation|customer|link|code|password|policy|price
        > |products?\b|models|arrivals|payment|method|card|replacement)[a-z]+
        """,
    ),
    (
        "ersatz",
        r"""
        \bneue[snr]? (?!frage|bestellung|seite|nachricht|nummer|vorschlag|bestatigung|kunde|link|code|passwort|preis
        > |produkte|modelle|zahlung|karte|adress|anschrift|liefer|strasse|hausnummer|postleitzahl)[a-z]+
        """,
    ),
    (
        "fromnow",
        r"""
        \bfrom (?:this|tonight|tomorrow|here|monday|tuesday|wednesday|thursday|friday)(?: (?:evening|morning
        > |minute|moment|on))*\b
        \bab (?:hier|morgen|heute abend)\b
        \b(?:from|as of) (?:now|today|this moment)(?: on)?\b|\bgoing forward\b|\bab (?:sofort|jetzt|heute)\b
        \bvon nun an\b|\bfortan\b|\bhenceforth\b
        """,
    ),
    (
        "now",
        r"""
        \bright (?:now|away)\b|\bstraight away\b|\bat once\b|\bas we speak\b|\bthis (?:very )?(?:minute|moment)\b
        \bthis morning\b|\bsince today\b|\bnoch heute\b
        """,
    ),
    (
        "shortly",
        r"""
        \bas soon as possible\b|\bso (?:schnell|bald) wie moglich\b|\bin kurze\b|\bin den nachsten tagen\b
        > |\bdemnachst\b
        """,
    ),
    (
        " ",
        r"""
        \byou (?:have )?(?:asked|requested|wanted|wished|ordered|chose|picked)(?: for| from us)?(?= (?:is|has|was|will
        > |have|are|were|went|got)\b)
        \bvon ihnen gewunschte?n?\b|\bgewunschte?n?\b(?= \w)
        """,
    ),
    (
        ",",
        r"""
        \b(?:do|did) you know(?: that)?\b|\bguess what\b
        """,
    ),
    (
        "have arranged",
        r"""
        \b(?:(?:was|were|been|am now|are now) able|managed) to\b(?! (?:\w+ )?(?:find|see|locate|check|look|access
        > |identify|read|verify|view|get hold)\b)
        \bsucceeded in\b|\bensured\b(?: that)?|\bmade sure\b(?: that)?|\bsaw to it\b(?: that)?
        \bdafur gesorgt\b,?(?: dass)?
        """,
    ),
    (
        "not",
        r"""
        \bno longer(?= (?:available|possible|needed|able|sold|offered|eligible|want|need))\b
        """,
    ),
    (
        "would",
        r"""
        \bto (?:be|get|have|become)\b|\blet (?:us|me|is)\b
        """,
    ),
    (
        "will ",
        r"""
        \bshould (?:now |already |soon )?(?=(?:have|see|receive|get|arrive|show|reach|land|appear|hit|be (?:back|there
        > |with|visible|on|in)))
        """,
    ),
    (
        "wird",
        r"""
        \b(?:sollten?|durften?|mussten?)\b(?= (?:\w+ ){0,6}(?:da|sein|ankommen|eingehen|erscheinen|eintreffen|haben
        > |sehen|erhalten)\b)
        """,
    ),
    (
        "will ",
        r"""
        \b(?:can|may) (?:now |already |soon |also |then )?(?=(?:expect|look forward|count on)\b)
        \bcan (?:now|already) (?=(?:see|find|view)\b)
        """,
    ),
    (
        "you shall get",
        r"""
        \b(?:allow|expect|look out for|watch for|keep an eye (?:on|out for)|look forward to)\b
        \b(?:rechnen sie(?: bitte)?(?: \w+ \w+ \w+)? mit|freuen sie sich auf|achten sie auf)\b
        """,
    ),
    (
        "are refunded",
        r"""
        \bits? (?:is )?(?:all )?yours again\b
        """,
    ),
    (
        "not",
        r"""
        \bif not\b
        """,
    ),
    (
        "soon",
        r"""
        \bbefore you know it\b
        """,
    ),
    (
        "gone",
        r"""
        \b(?:null and void|off the books|off your order|off the order|no more|out of the system|off the table)\b
        """,
    ),
    (
        "vomtisch",
        r"""
        \bvom tisch\b|\baus der welt\b
        """,
    ),
)
