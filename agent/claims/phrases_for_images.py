"""Images, idioms and fixed terms. Read by `agent.claims.phrases` before all others, which would take them apart."""

FOR_IMAGES: tuple[tuple[str, str], ...] = (
    (
        " elsewhen_ ",
        r"""
        \b(?:back )?(?:in|last|at|over|since|during|this|next|to|for)(?: the| this| last| next| early| late){0,2}
        >  (?:spring|summer|autumn|fall|winter|season|january|february|march|april|may|june|july|august|september
        > |october|november|december|christmas|easter|years?|19\d\d|20\d\d)\b(?: (?:season|\d{4}))?
        \b(?:years|months|seasons) ago\b|\bback then\b|\bthe (?:spring|summer|autumn|winter) season\b
        \b(?:im|letzte[nrms]|vorige[nrms]|vergangene[nrms]|seit|zur|zum|zu|diese[nrms])(?: (?:letzten|neuen|neue
        > |vergangenen))? (?:jahr|jahres|fruhjahr|fruhling|sommer|herbst|winter|saison|monat|weihnachten|ostern|januar
        > |februar|marz|april|mai|juni|juli|august|september|oktober|november|dezember)\b
        \b(?:damals|seinerzeit)\b|\bvor (?:\w+ )?(?:jahren|monaten|jahr)\b
        """,
    ),
    (
        " now ago_ ",
        r"""
        \b(?:seconds?|moments?|minutes?|hours?) ago\b
        \bfrom (?:this morning|today)\b|\bvon (?:heute|eben)(?: \w+tags?| fruh| morgen)?\b
        \bvor (?:\w+ ){0,2}(?:sekunden?|augenblick\w*|minuten?|stunden?)\b
        \b(?:eben|soeben|gerade|heute|now|just) (?:erfolgte|vorgenommene|veranlasste|durchgefuhrte|completed
        > |done|made)[nrms]?\b
        """,
    ),
    (
        "the money_",
        r"""
        \b(?:what|everything|all that|whatever) (?:you (?:have |were |had )?(?:been )?|was |has been )(?:paid|charged
        > |billed|taken|debited|spent)\b(?! by| care)
        \bwas sie (?:[^,;.]{1,40} )?(?:gezahlt|bezahlt|ausgegeben) (?:haben|hatten),?
        """,
    ),
    (
        "bedeutet",
        r"""
        ^(?:hinter|behind)\b
        """,
    ),
    (
        "ist",
        r"""
        \b(?:(?:das|damit|so) war(?:e|en)|waere)(?=(?: [\w-]+){0,4} (?:erledigt|vom tisch|geschafft|getan|geregelt)\b)
        """,
    ),
    (
        "i have arranged",
        r"""
        \b(?:i|we) could\b(?=[^,;.]{1,60} in time\b)|\b(?:mir|uns) ist es gelungen\b,?
        """,
    ),
    (
        "ownaccord_",
        r"""
        \bon (?:its|their|his|her|your) own\b|\bvon sich aus\b|\beigenstandig\b
        """,
    ),
    (
        r"\1 prepared",
        r"""
        \b((?:show|put|present|submit|see|find)\b[^,;.]{0,60}? for (?:your )?(?:confirmation|approval|okay|ok))\b
        """,
    ),
    (
        r"\1 vorbereitet",
        r"""
        \b((?:lege|zeige|gebe|stelle|sehen|liegt|finden)\b[^,;.]{0,60} zu[rm] (?:bestatigung|freigabe|prufung|bestatigen
        > |prufen|freigeben))\b
        """,
    ),
    (
        "instead",
        r"""
        \b(?:in|taken the|took the) place of\b|\ban die stelle (?=de[rs])
        """,
    ),
    (
        "ich habe",
        r"""
        ^(?:hab|habe)(?! (?:ich|wir|sie)\b)(?= )
        """,
    ),
    (
        r"\1\2",
        r"""
        \b(zuruck|um|aus|gut|ab|ruck)zu(\w{4,20}n)\b
        """,
    ),
    (
        "ich werde",
        r"""
        \b(?:ich bin|wir sind)(?: (?:schon|gerade|bereits|jetzt|nun|eben))* (?:dabei|dran|daran),?
        """,
    ),
    (
        "the money is refunded",
        r"""
        \b(?:on its way|heading|headed) (?:back )?to your (?:bank|account|card|wallet)\b
        \bbetween our bank and yours\b
        """,
    ),
    (
        "das geld ist erstattet",
        r"""
        ^(?:schon|bereits|langst|jetzt)?(?: wieder)? ?(?:auf dem (?:ruck|heim)?weg|unterwegs) (?:zu|auf|an)
        >  (?:ihrer?|ihrem|ihr) (?:bank|konto|karte)\b
        \bzwischen unserer bank und ihrer\b
        """,
    ),
    (
        "money_ sind erstattet",
        r"""
        \bmoney_ {1,3}(?:sind|ist) (?:wieder |schon )?(?:draussen|drau(?:ß)en|raus)\b
        """,
    ),
    (
        "auch ",
        r"""
        \bauch so (?=geklappt|funktioniert|gegangen|gelungen)
        """,
    ),
    (
        "underway_",
        r"""
        \bauf dem heimweg\b|\bhomeward bound\b
        """,
    ),
    (
        "zuruck",
        r"""
        \bheim(?:gefunden|gekehrt|gekommen|gereist)\b
        """,
    ),
    (
        "back",
        r"""
        \bhome again\b
        """,
    ),
    (
        "vomtisch",
        r"""
        \bim eimer\b|\bauf dem \w*friedhof\b|\bim nirwana\b|\bvon der liste\b|\bin die tonne gewandert\b
        """,
    ),
    (
        "ist vomtisch",
        r"""
        \bliegt (?:jetzt |nun )?vomtisch\b
        """,
    ),
    (
        "erledigt",
        r"""
        \bim lot\b|\bging auch (?:ohne|so)(?=$|[.,;!])
        """,
    ),
    (
        "i have arranged that",
        r"""
        \bi saw to (?:that|it)(?=$|[.,;!])
        """,
    ),
    (
        r"\1",
        r"""
        \b(colleagues?|team|people|department|manager|folks|guys) (?:in|at|from|over in) (?:the |our )?\w+\b
        """,
    ),
    (
        "refunded you",
        r"""
        \bpaid you out\b
        """,
    ),
    (
        "newaddress",
        r"""
        \bnew (?:place|home|flat|house|door|office)\b
        """,
    ),
    (
        "jetzt geliefert statt",
        r"""
        \bgehort (?:jetzt|nun) ihnen\b
        """,
    ),
    (
        "delivered",
        r"""
        \bout for delivery\b
        """,
    ),
    (
        "zugestellt",
        r"""
        \bin (?:der )?zustellung\b
        """,
    ),
    (
        " ",
        r"""
        \bmade to (?:order|measure)\b
        """,
    ),
    (
        "prepare",
        r"""
        \bput together\b
        """,
    ),
    (
        "prepared",
        r"""
        \bput (?:\w+ ){1,4}(?:in front of|before) you\b
        """,
    ),
    (
        "received",
        r"""
        \bsigned for\b
        """,
    ),
    (
        "prepared",
        r"""
        \bfor you to (?:check|review|confirm|approve|decide|look at)\b
        """,
    ),
    (
        "vorbereitet",
        r"""
        \bzur (?:prufung|bestatigung|durchsicht|freigabe|ansicht)\b(?= (?:\w+ ){0,4}(?:gelegt|hingelegt|bereitgestellt))
        """,
    ),
    (
        "answer",
        r"""
        \bget back to (?=you\b)
        """,
    ),
    (
        "you said that",
        r"""
        \bthank(?:s| you) for (?:letting (?:me|us) know|telling (?:me|us)|the update)(?: that)?(?= \w)
        """,
    ),
    (
        "was used for",
        r"""
        \bwent towards?\b
        """,
    ),
    (
        "gepackt",
        r"""
        \bfur den versand (?:fertig ?gemacht|vorbereitet|bereit ?gemacht)\b
        """,
    ),
    (
        " ",
        r"""
        (?<=\w )you (?:are asking about|asked about|mean|mentioned)\b(?! that)
        """,
    ),
    (
        "you said that ",
        r"""
        \byour (?:message|e-?mail|mail|note|letter|photo) (?:says|said|reads|mentions|states)(?: that)?
        """,
    ),
    (
        "sie schrieben",
        r"""
        \bin ihrer (?:nachricht|e-?mail|mail|notiz) (?:steht|schreiben sie|stand|heisst es)\b
        """,
    ),
    (
        "not pending",
        r"""
        \bnothing (?:left )?to (?:confirm|decide|approve)(?: any ?more| any longer)?\b
        \bnichts mehr zu (?:bestatigen|entscheiden)\b
        """,
    ),
    (
        "wenn sich zeigt",
        r"""
        ^stellt sich heraus\b
        """,
    ),
    (
        "notiert",
        r"""
        \bnotiz (?:hinzugefugt|gemacht|angelegt|erstellt|hinterlassen)\b
        """,
    ),
    (
        "cancelled",
        r"""
        \b(?:laid|put) to rest\b
        """,
    ),
    (
        " ended_ ",
        r"""
        \b(?:will|won) not (?:be|appear|show|turn up)(?: up)? on your (?:bill|invoice|order|card|statement)\b
        \bno longer (?:have|need) to pay\b|\b(?:mussen|brauchen) (?:\w+ ){0,6}nicht mehr (?:zu )?(?:be)?zahlen\b
        """,
    ),
    (
        r"\1",
        r"""
        \b(billing|finance|warehouse|support) (?:folks|people|guys|team|crew|department|desk)\b
        """,
    ),
    (
        "ab sofort gehen",
        r"""
        \bab (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag) (?:landen|gehen|kommen|liefern)\b
        """,
    ),
    (
        "ich habe veranlasst, dass ",
        r"""
        \bich habe (?:dem|der|unserem|unserer) (?:lager|buchhaltung|versand|logistik) (?:gesagt|aufgetragen
        > |mitgeteilt),? dass
        """,
    ),
    (
        "approve",
        r"""
        \bsign off(?: on)?\b
        """,
    ),
    (
        "misread",
        r"""
        \bmade (?:a|an) (?:\w+ )?(?:mistake|error|typo)\b
        """,
    ),
    (
        "everything is done_",
        r"""
        \beverything (?:you \w+ )?has happened\b
        """,
    ),
    (
        "wartet",
        r"""
        \bliegt (?:\w+ ){0,5}zur (?:prufung|freigabe|bestatigung|entscheidung)\b
        """,
    ),
    (
        "das geld ist erstattet",
        r"""
        \bgeld liegt (?:schon |bereits |wieder )?bei ihrer bank\b
        """,
    ),
    (
        "ist erledigt",
        r"""
        ^ist durch(?=$|[.,;!])
        """,
    ),
    (
        "bestellung ist storniert",
        r"""
        \b(?:paket|sendung|lieferung|bestellung|spedition) (?:macht (?:auf dem absatz )?kehrt|dreht um)\b
        """,
    ),
)
