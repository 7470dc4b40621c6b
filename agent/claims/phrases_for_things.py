"""Phrases for what is read, stored, told or sent: labels, proposals, policies. Read by `agent.claims.phrases`."""

FOR_THINGS: tuple[tuple[str, str], ...] = (
    (
        ", ich habe veranlasst, ",
        r"""
        \bvon (?:mir|uns) (?:\w+ )?\w+(?:te|ene)[rnms]?\b
        """,
    ),
    (
        "you received",
        r"""
        \b(?:enjoy|have fun with|make good use of) (?=your|the)
        """,
    ),
    (
        "sie erhalten",
        r"""
        \bviel (?:spass|freude|vergnugen) (?:mit|an)\b
        """,
    ),
    (
        "danke",
        r"""
        \bgerne? geschehen\b
        """,
    ),
    (
        "prepared",
        r"""
        \bdrawn up\b|\bmapped out\b|\blaid out\b
        """,
    ),
    (
        " ",
        r"""
        \bmade (?:of|from|by)\b
        """,
    ),
    (
        "newaddress",
        r"""
        \bneues? (?:ziel|zielort|lieferziel)\b
        """,
    ),
    (
        "not longer_",
        r"""
        \bno longer\b|\bnot (?=(?:[\w-]+ ){0,6}(?:any ?more|any longer)\b)
        """,
    ),
    (
        "atorder_",
        r"""
        \bwhen you (?:ordered|bought|placed)\b|\bbei(?:m)? (?:der |ihrer )?(?:bestellung|kauf|bestellen)\b
        > |\bat checkout\b
        """,
    ),
    (
        "available",
        r"""
        \b(?:out of|in) stock\b|\bauf lager\b
        """,
    ),
    (
        "receipt_",
        r"""
        \b(?:retouren|rucksende|storno|stornierungs|erstattungs|umtausch)-?(?:nummer|nr)\b|\brma\b
        \bconfirmation (?:e-?mail |mail )?(?:of|for) (?:the|your|this) {kind}\b|\bconfirming (?:the|your|this) {kind}\b
        \bbestatigung (?:der|ihrer|des|uber die) {kind}\b|\b(?:storno|erstattungs|umtausch|stornierungs)bestatigung\b
        \b{kind}s? (?:reference|no|nr|number|id|confirmation|code|nummer)\b
        """,
    ),
    (
        "ist",
        r"""
        \b(?:nennt|fuhrt|weist|meldet|names|lists|has|have)\b(?= (?:\w+ ){1,5}als \w+t\b)
        """,
    ),
    (
        ",",
        r"""
        \bthat is when\b
        """,
    ),
    (
        "pending",
        r"""
        \bstill open\b|\bnoch offen\b
        """,
    ),
    (
        "now ",
        r"""
        \b(?:seit|since) (?=\d|heute|eben|just|today)
        """,
    ),
    (
        "instead",
        r"""
        \b(?:rather than|anstelle)\b
        """,
    ),
    (
        "the refund underway_",
        r"""
        \b(?:der|das|den|ihr|ihren?|the|your) (?:zuruckgegebene|erstattete|gutgeschriebene|zuruckgezahlte|refunded
        > |returned|credited|reimbursed)n? (?:betrag|summe|geld|money_|amount|money|sum)\b
        """,
    ),
    (
        "ist",
        r"""
        \bgilt (?:\S+ ){1,4}als\b
        """,
    ),
    (
        " ",
        r"""
        \b(?:(?:was|were) able|managed) to (?=(?:\w+ )?(?:find|see|locate|check|look|access|identify|read|verify|view))
        """,
    ),
    (
        "available",
        r"""
        \bback in stock\b
        """,
    ),
    (
        "updated",
        r"""
        \b(?:up to date|auf dem (?:neuesten|aktuellen|neusten) stand)\b
        """,
    ),
    (
        "noted",
        r"""
        \b(?:made|make|taken|take) a note\b
        \b(?:created|opened|raised|logged|filed|made|open|create) (?:a|the|your) (?:\w+ )?(?:ticket|case)\b
        """,
    ),
    (
        "that",
        r"""
        \bwhat you (?:have )?(?:asked|wanted|requested)(?: for)?\b
        """,
    ),
    (
        "is",
        r"""
        \b(?:shows?|shown|appears?|marked|listed|flagged|showing)(?= (?:\w+ ){0,3}as\b)|\bgilt als\b
        \bsteht (?:jetzt |nun )?auf\b
        """,
    ),
    (
        "recorded_",
        r"""
        \b(?:your|our|my|the|ihr|unser|das) (?:account|records?|system|konto) (?:now |already |jetzt
        >  |bereits )?(?:shows?
        > |reflects?|lists?|weist|zeigt)\b
        """,
    ),
    (
        "was",
        r"""
        \bcould(?= (?:still |just )?(?:be )?\w+ (?:\w+ ){0,3}(?:in time)\b)
        """,
    ),
    (
        "ich werde",
        r"""
        \bich bin (?:gerade )?dabei,?
        """,
    ),
    (
        "pickup will arrive",
        r"""
        \b(?:courier|driver|bote|kurier|fahrer) (?:picks|collects|nimmt|holt)\b(?=[^.;]{0,60}\b(?:tomorrow
        > |morgen|today|heute
        > |monday|tuesday|wednesday|thursday|friday|montag|dienstag|mittwoch|donnerstag|freitag)\b)
        \b(?:abholer) (?:kommt|holt)\b
        \bcourier (?:will )?(?:collects?|picks? up|comes?)\b|\b(?:kurier|bote|fahrer) (?:holt|kommt)\b
        """,
    ),
    (
        " ",
        r"""
        \bas i (?:said|wrote|mentioned)\b|\bwie gesagt\b
        """,
    ),
    (
        "card",
        r"""
        \b(?:credit|gift|debit|bank) cards?\b|\bkreditkarten?\b|\bgeschenkkarten?\b
        """,
    ),
    (
        "policy",
        r"""
        \b(?:refund|return|exchange|cancel|cancellation|returns|refunds|change)s? (?:polic\w+|periods?|windows?|options?
        > |rights?|deadlines?|conditions?|rules?|terms|process\b|button|links?|forms?|pages?|reasons?|fees?|costs?
        > |request form|methods?|rate|portal|centre|center|address|proposal|costs|instructions|steps
        > |amount (?:is|would))
        \b(?:ruckgabe|ruckerstattungs|erstattungs|umtausch|stornierungs|widerrufs|storno|rucksende|retouren)(?:recht
        > |frist|bedingung\w*|richtlini\w*|grund\w*|betrag\w*|optionen|moglichkeit\w*|kosten|gebuhr\w*|seite
        > |formular)\b
        """,
    ),
    (
        "mind",
        r"""
        \b(?:change|changed|changes) (?:of |your |my |their )?minds?\b|\bexchange rates?\b|\bin return\b
        \bmany happy returns\b|\breturn to (?:the|this|your) (?:page|chat|site)\b|\bfor a change\b|\bin exchange\b
        \bunter anderem\b
        \b(?:price|prices|policy|terms|facts|rules|weather)\b[^,;.]{0,40}\b(?:has|have|been|was|were) changed\b
        \b(?:preise?|regeln|bedingungen|richtlinien)\b[^,;.]{0,40}\bgeandert\b
        """,
    ),
)
