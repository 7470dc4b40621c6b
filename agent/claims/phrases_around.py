"""Phrases around what is said: who tells it, negations that are none, results, conditions."""

AROUND: tuple[tuple[str, str], ...] = (
    (
        ", declared_ ",
        r"""
        \b(?:i|we) (?:{adverb} )?(?:can|may|want|would like|wanted|am|are)(?: {adverb})?(?: (?:happy|pleased|glad
        > |delighted|proud|able|writing|here|in a position))?(?: to)? (?:confirm|announce)\b(?: to you)?(?: that)?
        \b(?:happy|pleased|glad|delighted|this is|allow me|let me|let us|like) (?:just )?(?:to )?confirm\b(?: that)?
        \b(?:i|we) (?:{adverb} )?confirm\b(?: that)?
        \b(?:hiermit |gerne? )?bestatigen? (?:ich|wir)\b(?: ihnen)?(?: gerne?| hiermit)?,?(?: dass)?
        \b(?:ich|wir) (?:hiermit |gerne? )?bestatigen?\b(?: ihnen)?(?: gerne?| hiermit)?,?(?: dass)?
        """,
    ),
    (
        ", ",
        r"""
        \b(?:i|we) (?:{adverb} )?(?:can|may|want|would like|wanted|am|are)(?: {adverb})?(?: (?:happy|pleased|glad
        > |delighted|proud|able|writing|here|in a position))?(?: to)? (?:{tell})\b(?: to you)?(?: that)?
        \b(?:happy|pleased|glad|delighted|this is|allow me|let me|let us|like) (?:just )?(?:to )?(?:{tell})\b(?: that)?
        \b(?:to be|not be|be) happier to tell you(?: that)?
        \bi could not be happier\b(?: to \w+(?: you)?)?
        \bplease (?:note|know|be aware|be advised|be informed)(?: that)?(?=[ ,:])|\b(?:note|know) that\b
        \b(?:rest assured|be assured|keep in mind)(?: that)?(?=[ ,:])
        \b(?:you can|you may|feel free to)(?: now| safely| also)? (?:relax|rest assured|be sure|be certain|sit back
        > |trust)(?: that)?
        \b(?:as|like|just as|exactly as) (?:you |we )?(?:have )?(?:requested|asked|wanted|wished|instructed|discussed
        > |agreed|desired|promised|ordered)\b
        \bas you (?:can see|wish|know|like)\b|\bas per your \w+|\b(?:per|at|following|upon|on) your request\b
        \bwie (?:von ihnen |sie )?(?:es )?(?:gewunscht|besprochen|gebeten|erbeten|versprochen|vereinbart|wunschten
        > |wollten|beauftragt)\b
        \bauf ihren wunsch(?: hin)?\b|\bwunschgema(?:ss|ß)\b
        \bich (?:kann|darf|mochte|muss|freue mich)(?: ihnen)?(?:,)?(?: ihnen)?(?: gerne?| hiermit)? (?:bestatigen
        > |mitteilen|versichern|sagen)(?: zu (?:koennen|durfen))?(?:,)?(?: dass)?
        \bich freue mich,? (?:ihnen )?(?:mitteilen|sagen|bestatigen) zu (?:koennen|durfen),?(?: dass)?
        \b(?:beachten|wissen) sie,?(?: bitte,?)?(?: dass)?
        \b(?:i|we) (?:can )?(?:see|found|find|notice|think|believe)(?: here| now)? that\b
        \bit (?:looks like|seems)(?: that)?
        \bich sehe(?: hier)?,? dass\b
        """,
    ),
    (
        " ",
        r"""
        \b(?:no|not a|not any) (?:problem|worries|worry|trouble|doubt|matter|questions asked|need to worry|issue|fuss
        > |stress)s?\b
        \b(?:do not|not to|need not|no need to|you do not (?:have|need) to) worry\b(?: about (?:it|that|a thing
        > |anything))?
        \bnot only\b|\bnot just\b|\bno sooner\b|\b(?:at|for) no (?:extra |additional |further )?(?:cost|charge|fee)s?\b
        \bin no time\b
        \bnothing (?:more|else|further|left)(?: (?:for you|is|that|you|to|need|needs|have|do|needed
        > |required|be|on your side|on your end)){0,6}
        \byou (?:do not|need not|no longer|never)(?: (?:have|need))?(?: to)? (?:do|take care|lift|move
        > |bother)\b[^,;.]{0,40}
        \b(?:no|without) (?:further|more|other|additional)? ?(?:action|step|steps|work|effort)s?\b(?: (?:is|are|needed
        > |required|necessary|on|your|from|you|side|part|end)){0,5}
        \bno (?:longer )?need to\b[^,;.]{0,30}
        \bwithout (?:a|any|further|trouble|problems?|issues?|delay|cost|charge)\b \w*
        \b(?:kein|keine) (?:problem|sorge|sorgen|ding|thema|umstande|zweifel)\b|\bnicht nur\b|\bkein grund zur sorge\b
        \b(?:sie )?(?:mussen|brauchen)(?: sie)?(?: sich)?(?: nun| jetzt| hier)? (?:nichts|nicht|keine?)(?: mehr
        > | weiter\w*| weiteres)?(?: zu)?(?: tun| machen| unternehmen| sorgen| kummern)?(?: zu)?(?: tun| machen
        > | unternehmen)?
        \bmachen sie sich keine \w+\b|\bkeine? weitere[nr]? (?:schritte?|aktion\w*|massnahme\w*|aufwand)\b(?: \w+)?
        \bnichts (?:weiter|weiteres|mehr) (?:zu )?(?:tun|notig|erforderlich|unternehmen|veranlassen)\b
        \bohne (?:probleme|weiteres|problem|kosten|aufwand|verzogerung|dass)\b|\bproblemlos\b|\bkostenlos storniert\b
        \bcould not (?:be (?:easier|happier|simpler)|wait)\b
        """,
    ),
    (
        " ended_ ",
        r"""
        \bno longer (?:exists?|active|valid|on (?:order|file|your \w+)|in (?:our|the|your) \w+|scheduled|there|be|being
        > |part|going|coming|shipping|due to|owe|charged|billed|ship|arrive|planned|stands?)\b
        \b(?:not|never)(?: be| get)? (?:ship|shipped|sent|send|delivered|deliver|arrive|arriving|coming|charged|billed
        > |debited|sending|shipping|dispatched|come|invoiced|charge|bill|take|owe|receive)\b(?: \w+){0,4}? (?:any ?more
        > |any longer|after all|for (?:it|this|that|the) ?(?:order|item|purchase|\w+)?|again|anything|a cent
        > |at all|out)
        \b(?:gibt es|existiert|ist|sind|wird|werden|lauft|besteht|gilt|kommt)\b(?: \w+){0,3}? (?:nicht|nichts) mehr
        > (?: (?:aktiv|gultig|im system|vorhanden|da|verschickt|versandt|versendet|geliefert|ausgeliefert|belastet
        > |berechnet|abgebucht|kommen|bestehen|fallig|offen|teil))?(?! \w*(?:bar|moglich|verfugbar
        > |lieferbar))(?=$|[.,;!]
        > | (?:fur|in|im|von|zu|auf|und))
        \b(?:nothing|not a \w+|keine? \w+|nichts)\b(?: [\w-]+){0,6}? (?:any longer|any ?more)\b
        \bkeine? (?:forderung|abbuchung|lastschrift|zahlung|belastung|kosten|rechnung|order|charge|betrag)\w* mehr\b
        \b(?:nicht|nichts) mehr (?:hinterlegt|gespeichert|aktiv|an|auf|gebucht|unterwegs)\b|\bnicht mehr an(?=$|[.,;!])
        \b(?:abbuchung|lastschrift|rechnung|zahlung|bestellung|lieferung) entfallt\b
        \b(?:owe|schulden)\b[^,;.]{0,20}\b(?:nothing|nichts)\b(?: more| mehr)?
        \bnothing will be (?:taken|charged|billed|debited|deducted|collected)\b
        \b(?:geht|gehen|wird|werden) (?:\w+ )?nichts (?:mehr )?(?:(?:von|auf) \w+ \w+ )?(?:ab|abgehen|abgezogen)\b
        \bas if you had never \w+|\bnever having happened\b|\bals hatten sie nie \w+|\bals haetten sie nie \w+
        \bnothing will (?:ship|arrive|be shipped|be sent out)\b
        \b(?:wird|werden) (?:\w+ )?(?:(?:nichts|kein\w*) )?(?:\w+ )?nichts (?:geliefert|abgebucht|berechnet|belastet)\b
        \boffen ist (?:\S+ ){0,3}nichts(?: mehr)?\b
        \b(?:order|purchase) will not (?:ship|be shipped|be sent|be delivered|arrive|go out|be charged)(?=$|[.,;!])
        \b(?:nichts|nicht) mehr (?:\w+ ){0,4}?(?:berechnet|belastet|abgebucht|verschickt|versandt|geliefert
        > |in rechnung gestellt)\b
        """,
    ),
    (
        " done_ ",
        r"""
        \b(?:all|you are|everything is|that is|it is|is|are) (?:now )?(?:all )?(?:set|good|squared away
        > |squared)\b(?! (?:to|for|up|as|on|in|by|at|aside|if|when|once|condition|idea|question
        > |point)\b)(?! \w+ (?:mill
        > |price))
        \b(?:already|schon|bereits|wieder|now) (?:back )?(?:in|on|auf) (?:your|ihrem|ihrer) (?:mailbox|inbox
        > |postfach|mail|account
        > |card|konto|karte)\b|\bin your (?:mailbox|inbox|account) already\b
        \b(?:taken|took|take) care of\b|\b(?:dealt|deal) with\b|\bseen to\b|\bsquared away\b
        \b(?:wrapped|tied|buttoned) up\b|\bcase closed\b|\bmission accomplished\b|\bjob done\b|\bdone and dusted\b
        \bgood as done\b|\bas good as\b|\bthat is that\b|\bticked off\b|\bput to bed\b|\bgood to go\b|\ball yours\b
        \b(?:it|that|everything) (?:worked|went through|has gone through)\b
        \balready (?:with|at|on|in) your (?:bank|card|account)\b|\bpulled off\b|\bin the bag\b
        \bhaken (?:dran|dahinter|drunter)\b|\bunter dach und fach\b|\bin trockenen tuchern\b|\balles klar gemacht\b
        \bin ordnung gebracht\b|\bauf den weg gebracht\b|\bpasst(?: jetzt| nun)?(?=$|[.,!;])|\bgrunes licht\b
        \bwird gemacht\b
        """,
    ),
    (
        " underway_ ",
        r"""
        \bon (?:its|the|their|your) way\b|\bunder ?way\b|\bin (?:the )?(?:progress|motion|pipeline|works|transit)\b
        \bauf (?:dem|ihrem) (?:ruck)?weg\b|\bin (?:arbeit|bearbeitung|gang|auftrag|die wege)\b|\bauf den weg\b
        """,
    ),
    (
        " inplace ",
        r"""
        \bin (?:place|force|effect|kraft)\b|\bon (?:file|record)\b|\bin (?:the|our) system\b|\bim system\b
        \bup and running\b
        """,
    ),
    (
        " if ",
        r"""
        \b(?:after|upon|following|on|pending|subject to|following) (?:(?:the |your |our |its |a )?(?:receipt
        > |confirmation|approval|consent|inspection|arrival|review|okay|signature|return|agreement|acceptance|go-ahead
        > |checking))\b
        \bafter (?:you|we|it|the (?:parcel|item|package|return|goods|order))\b
        \b(?:the moment|as soon as|as long as|in case|in the event|in that case|provided that|only (?:if|when|after)
        > |by (?:clicking|confirming)|with your (?:ok|okay|confirmation|consent|approval)|on condition|not until
        > |were you to|should you|depending on|assuming)\b
        (?:^|(?<=, ))had you\b|\bangenommen,? (?=(?:sie|es|ich|die|der|das)\b)|\bsuppose\b
        \bim fall(?:e)?\b|\bje nach\w*\b|\bvorbehaltlich\b|\bunter der bedingung\b|\berst (?:wenn|nach|dann)\b
        \bin diesem fall\b
        """,
    ),
    (
        " upon_ ",
        r"""
        \bnach dem (?:stornieren|umtauschen|zurucksenden|zuruckgeben|bestatigen|klicken)\b
        \b(?:nach|mit|vor|bei|ohne|durch|auf)(?: (?:der|die|einer|eines|einem|dem|ihrer|ihre|ihrem|ihren|erfolgter
        > |jeder|des|den))? (?:bestatigung|zustimmung|freigabe|eingang|erhalt|rucksendung|ruckgabe|prufung|retoure
        > |einwilligung|ankunft|klick|\w*stornierung|umtausch|ablehnung|wareneingang|eintreffen|bearbeitung)\b
        """,
    ),
)
