"""Words by what they do in a sentence, in English and German, as `agent.claims.reading.read` leaves them.

`stem*` stands for all words that begin so, `*part*` for all that hold it: German writes its nouns in one word.
"""

from functools import lru_cache


def words(text: str) -> frozenset[str]:
    """A set of words, written one after the other."""
    return frozenset(text.split())


# "swap" is an exchange or a change: which of the two, such words leave open.
KINDS = ("refund", "cancel", "change", "address", "exchange", "return", "other", "swap")

# What our actions do: as a thing or an infinitive (EVENT), as done (DONE_TO), as being done (DOING).
_SUBJECT = {
    "refund EVENT": (
        "*uberweisung* refund refunds reimburse* repay repayment* moneyback cashback payout chargeback credit "
        "credits creditnote *erstattung* erstatte erstatten erstattest zuruckerstatten *gutschrift* "
        "*ruckzahlung* *ruckbuchung* *auszahlung* zuruckzahlen gutschreiben zuruckuberweisen geldeingang "
        "ruckuberweisung *umbuchung* auszahlen uberweise erstattet-"
    ),
    "refund DONE_TO": (
        "refunded rerefunded reimbursed repaid credited recredited erstattet ruckerstattet zuruckerstattet "
        "zuruckgezahlt zuruckuberwiesen gutgeschrieben zuruckgebucht ausgezahlt ruckvergutet ruckuberwiesen "
        "ausbezahlt"
    ),
    "refund DOING": "refunding reimbursing repaying crediting",
    "cancel EVENT": (
        "withdrawal cancel cancels cancellation* cancelation* annulment *stornierung* storno* stornieren "
        "storniere annullier* *kundigung* kundige widerrufe widerruf lieferstopp auflosung *loschung "
        "deletion *ruckabwicklung"
    ),
    "cancel DONE_TO": (
        "cancelled canceled voided annulled revoked storniert annulliert gecancelt gecancelled gekundigt "
        "widerrufen terminated abbestellt gestrichen eingestampft aufgelost abgeblasen scrapped axed struck "
        "nixed binned trashed ruckabgewickelt"
    ),
    "cancel DOING": "cancelling canceling voiding",
    "change EVENT": (
        "change changes update updates modification* amend amendment* adjustment* correction* switch "
        "*anderung* andere andern aktualisier* anpass* *korrektur* umstellung* umstellen *umbuchung*"
    ),
    "change DONE_TO": (
        "changed updated modified amended adjusted edited corrected switched altered geandert abgeandert "
        "angepasst aktualisiert umgestellt korrigiert verandert"
    ),
    "change DOING": "changing updating modifying amending adjusting editing correcting switching altering",
    "address EVENT": "newaddress readdress",
    "address DONE_TO": "readdressed rerouted redirected umgeleitet umadressiert",
    "address DOING": "rerouting redirecting",
    "exchange EVENT": (
        "exchange exchanges replacement replacements *tausch* tausch tauschen *ersatz* "
        "ersatzartikel ersatzprodukt ersatz tausche"
    ),
    "swap EVENT": "swap swaps",
    "swap DONE_TO": "swapped",
    "swap DOING": "swapping",
    "exchange DONE_TO": "exchanged umgetauscht ausgetauscht getauscht eingetauscht replaced ersetzt",
    "exchange DOING": "exchanging replacing",
    "return EVENT": (
        "return returns returnlabel *rucksendung* *rucksende* *retoure* *ruckgabe* retourenschein *retouren* "
        "pickup* abholung* collection rucknahme* ruckversand* rucksendeetikett* etikett* paketschein*"
    ),
    "return DONE_TO": "returned retourniert zuruckgenommen",
    "other EVENT": (
        "receipt_ voucher vouchers coupon coupons gutschein* goodwill rabatt compensation entschadigung* "
        "preisnachlass nachlass"
    ),
    "other DONE_TO": "waived compensated reshipped entschadigt",
}

_GRAMMAR = {
    "BE": "is are am was were been being be got gets ist sind war waren wurde wurden worden bin",
    "PAST": "ging gingen kam kamen went came was were been had wurde wurden worden war waren hatte hatten",
    "HAVE": "ihave have has had having habe haben hab hat hatte hatten",
    "FUTURE": "will shall gonna wird werden werde",
    "MODAL": (
        "kaem* bekaem* gaeb* ginge "
        "can could may might would should must need needs wanting able kann koenn* konnen soll* muss* darf "
        "durf* mocht* wuerd* wollen lasst lassen let lets haett* waer* willing brauchen"
    ),
    "NEGATION": (
        "zuruckgewiesen fehlgeschlagen fehlschlug schlug misslang verweigert verhindert gescheitert scheitert "
        "misslungen not never nothing none neither nor nobody "
        "unable fail* cannot nicht nichts kein* nie niemals niemand* weder noone noch- declin* reject* refus* "
        "abgelehnt lehnt outstanding overdue ausstehend* impossible unsuccessful* incorrect falsch wrong "
        "statt- denied ungultig"
    ),
    "CONDITION": (
        "angeblich vermeintlich allegedly supposedly reportedly "
        "upon_ if when once unless until till after before whenever wherever whether ifonly wenn falls sobald "
        "sofern nachdem bevor bis- solange ehe ob damit- upon provided vorausgesetzt assuming erst how wie-"
    ),
    "US": "i we ich wir ihave",
    "OUR_SIDE": (
        "leitung management manager team chef boss kolleg* colleague colleagues system warehouse lager "
        "buchhaltung department support finance billing provider versand logistik specialist mitarbeiter* "
        "versandteam accounting accountants side packers seite"
    ),
    "PERSON": (
        "colleague colleagues person human team teammate* staff agent specialist* kolleg* mitarbeiter* mensch* "
        "kundenservice supervisor manager ticket department support kundendienst"
    ),
    "CUSTOMER": "you sie dir dich du customer kunde kundin",
    "OTHERS": (
        "carrier carriers courier driver dhl ups hermes postbote zusteller* paketdienst* spediteur* spedition fahrer "
        "kurier* manufacturer maker hersteller* seller verkaufer* vendor supplier lieferant* neighbour neighbor "
        "nachbar* somebody someone anyone another jemand absender sender customs zoll "
        "vorbesitzer* customers buyers buyer kunden kundinnen yourself himself herself themselves "
        "itself selbst selber"
    ),
    "KIN": (
        "sister brother daughter son parents mother father mum mom dad wife husband friend friends aunt uncle cousin "
        "schwester* bruder* tochter sohn eltern mutter vater freund* tante onkel cousin*"
    ),
    "NOW": (
        "now just already currently presently instantly immediately rightaway today tonight meanwhile "
        "henceforth jetzt nun bereits schon soeben gerade sofort gleich heute inzwischen fortan absofort "
        "momentan derzeit umgehend frisch eben"
    ),
    "SOON": (
        "tomorrow shortly soon monday tuesday wednesday thursday friday saturday sunday days hours minutes "
        "week weeks morgen bald tagen stunden minuten woche wochen montag dienstag mittwoch donnerstag freitag "
        "samstag sonntag werktagen wochenende moment kurze next nachste* nachstem nachsten"
    ),
    "DETERMINER": (
        "a an the your my this that these any each every some no der die das den dem des ein eine einen einer "
        "ihre ihr ihren ihrer ihrem diese dieser dieses jede jeder jedes"
    ),
    "YOURS": (
        "your yours ihre ihr ihren ihrer ihrem ihres deine dein this that diese dieser dieses the die der das "
        "den dem our both beide beides"
    ),
    "THING": (
        "*status* contract vertrag kaufvertrag debt invoice order orders bestellung* auftrag* item items "
        "article articles artikel* parcel parcels package packages paket* sendung* lieferung* shipment* "
        "delivery deliveries purchase purchases kauf abo abonnement subscription* booking account konto "
        "request requests anfrage* anliegen antrag case matter issue sache vorgang fall charge charges "
        "belastung abbuchung invoice rechnung product products produkt* ware goods amounts amount line lamp "
        "jacket mug claim hold reservation charge things everything thing things details daten angaben all "
        "alles beides both size grosse colour color farbe quantity menge one ones status method zahlungsart "
        "payment payments zahlung* it this that es das dies"
    ),
    "PRONOUN": (
        "er it this that everything all es das dies alles beides both request requests anliegen antrag sache "
        "vorgang fall case matter issue job anfrage wunsch problem points wishes punkte wunsche bitten steps"
    ),
    "MONEY": (
        "lastschrift debit forderung geldbetrag transfer money geld betrag amount summe cash sum kaufpreis "
        "money_ funds differenz difference"
    ),
    "PLACE": (
        "*strasse *gasse lane street road avenue square address addresses adressen addresse adresse* *adresse "
        "anschrift* *anschrift destination street strasse hausnummer"
    ),
    "SIZE": (
        "mastercard visa kreditkarte size grosse colour color farbe quantity menge method zahlungsart paypal "
        "zahlungsmethode model modell variant"
    ),
}

# How a thing is said to be finished, or on its way there.
_PREDICATES = {
    "ACT": (
        "stoppen entfernen loschen einleiten veranlassen umleiten anpassen buchen abfangen zuruckholen sperren "
        "freigeben stop remove delete release waive apply book close block reset undo reverse"
    ),
    "COMPLETED": (
        "vollbracht vollendet getan gemeistert komplett reserved reserviert hinbekommen hingekriegt hingebogen "
        "gedeichselt dissolved unwound torn wiped processed complete completed done through confirmed issued "
        "initiated approved finalized finalised finished inplace live active effective registered created "
        "submitted booked arranged requested settled saved executed recorded triggered started taken sorted "
        "handled filed logged lodged entered applied stored fulfilled granted accepted authorised authorized "
        "released cleared actioned implemented performed resolved fixed undone reverted reversed removed "
        "deleted closed lifted added enrolled scheduled transferred wired sent emailed mailed posted paid "
        "honoured honored successful successfully off out gone implemented dispatched stopped blocked halted "
        "intercepted pulled scrapped dropped withdrawn moved upgraded extended reset linked set made put "
        "ordered shipped dealt back erledigt durch raus abgeschlossen veranlasst ausgefuhrt vorgenommen "
        "bearbeitet bestatigt angewiesen gebucht verbucht durchgefuhrt angelegt angemeldet registriert erfasst "
        "eingeleitet beauftragt erstellt angestossen fertig geregelt eingetragen gespeichert hinterlegt "
        "erfolgreich genehmigt bewilligt freigegeben akzeptiert angenommen ubernommen vollzogen gelost "
        "entfernt geloscht gestoppt beendet aufgehoben abgebrochen ubermittelt uberwiesen versendet verschickt "
        "abgeschickt zuruckgeschickt losgeschickt ausgelost gestartet geschickt aktiv wirksam gultig gemacht "
        "geschlossen herausgenommen rausgenommen abgebucht zuruckgesetzt eingereicht abgesegnet gewahrt "
        "eingeraumt angefragt reversed paid_out zugestellt- ruckgangig umgesetzt hinzugefugt hinfallig "
        "stattgegeben abgefangen erlassen intercepted durchgezogen upheld ensured sichergestellt reflected"
    ),
    "UNDER_WAY": (
        "underway_ progress processing heading headed coming unterwegs lauft laufen bearbeitung rollt kommt "
        "progressing pipeline"
    ),
    "FINISHED": (
        "geschehen done_ done sorted settled complete completed finished handled resolved fixed tickmark "
        "erledigt geregelt fertig abgeschlossen geschafft gemacht vollzogen abgehakt gelost erfolgreich "
        "successful success passiert umgesetzt geklappt funktioniert gelungen gegluckt closed "
        "covered fulfilled erfullt abgearbeitet"
    ),
    "ENDED": (
        "final endgultig nichtig evaporated wiped aussen verschwunden disappeared vanished futsch fort "
        "draussen drin perdu passe annulled gone history off dead void stopped over withdrawn weg geschichte "
        "hinfallig gegenstandslos raus aufgehoben scrapped reversed geloscht deleted removed undone ruckgangig "
        "vomtisch"
    ),
    "ARRIVES": (
        "arrive arrives arrived land lands landed hit hits reach reaches reached lands appear appears appeared "
        "show shows back there available_ yours credited zuruck da wieder ankommen eingehen ein gutgeschrieben "
        "eingegangen drauf kommt geht gehen left come comes came coming went going fliesst fliessen flows "
        "flowing geflossen zuruckgeflossen rausgegangen hinausgegangen abgegangen folgt follows follow erfolgt"
    ),
    "GETS": (
        "receive receives get gets see have find expect expecting erhalten erhaltst bekommen sehen haben "
        "finden erwarten received got gotten"
    ),
}

# Words that make harmless what they say of a thing.
_HARMLESS = {
    "FREE": (
        "unchanged unaffected untouched unverandert "
        "damaged defekt beschadigt ausverkauft verstrichen ausgeschlossen vorgesehen enthalten befristet "
        "gedacht closed_ made_ sold expired abgelaufen excluded included intended designed geoffnet called "
        "named possible available optional limited eligible subject allowed required needed necessary depend* "
        "depends take takes cost costs cover covers mean means dauern dauert kostet kosten hangt bedeutet "
        "erfordert benotigt braucht brauche lautet betragt moglich verfugbar erforderlich notig begrenzt "
        "unmoglich zulassig kostenlos kostenfrei free fehlt fehlen missing bleibt bleiben stays remain remains "
        "entfallt require requires bestehen besteht"
    ),
    "WHAT": "welche welcher welches welchen which what who why where wer",
    "PREPARED": (
        "aufgesetzt ausgearbeitet entworfen formuliert prepared preparing prepare drafted proposed proposal "
        "propose proposes vorbereitet await* waiting awaiting awaits waits hingelegt vorgelegt "
        "draft vorgeschlagen *vorschlag* wartet warten entwurf vorbereitung ready bereit bestatigungsseite would-be"
    ),
    "CONFIRMING": (
        "confirm confirms confirmation approval approve consent click okay bestatigen bestatigung zustimmung "
        "zustimmen freigabe freigeben bestatigt- klicken klick anklicken confirming sign bestatige-"
    ),
    "PLEASE": "please bitte",
    "USUALLY": (
        "sonntags samstags montags meisten usually normally typically generally always often mostly "
        "normalerweise ublicherweise grundsatzlich "
        "immer stets meist meistens generell policy policies most cases richtlinie* regeln rules terms "
        "bedingungen agb"
    ),
    "READS": (
        "vermerkt notiert do does worked worke* got carry stock sell sells hat_ booked_ agreed accepted_ look* "
        "check* find found see saw seen read reading understand understood notice* note noted notes review* "
        "search* verif* compar* list listed lists explain* tell told say said ask asked asking hear heard know "
        "knew think thought believ* hope hoped hoping apologi* appreciat* thank* help* assist* try tried "
        "trying wait* wanted wish wished love* liked attach* summar* hand handed pass passed forward* escalat* "
        "connect* contact* invit* mention* describ* received receive gather* collect* identif* locat* "
        "determin* calculat* count* assum* meant remember* notified inform* offer* recommend* suggest* "
        "consider* consult* write writing wrote written answer* repl* respond* talk* speak* spoke guess* "
        "hesitat* worr* afraid sorry happy glad pleased delighted unable here also need* seem* agree* wonder* "
        "opened raised point* walk* guide* investigat* enjoy* decid* entscheid* misread misunderst* mistak* "
        "sent show* shown display* assum* come came nachgesehen nachgeschaut gefunden gepruft uberpruft "
        "gesehen gelesen verstanden weitergeleitet weitergegeben ubergeben gefragt nachgefragt gesagt "
        "geschrieben gesucht verglichen erhalten bekommen gehort erklart aufgelistet zusammengestellt "
        "zusammengefasst angeschaut angesehen durchgesehen geschaut nachgelesen herausgefunden eroffnet "
        "festgestellt bemerkt gebeten versucht gedacht geantwortet ermittelt berechnet ausgerechnet gezahlt "
        "abgerufen aufgerufen recherchiert mitgeteilt informiert angeboten empfohlen gewartet kontaktiert "
        "gelernt beantwortet verbunden entschuldigt prufe prufen schaue sehe suche finde frage"
    ),
    "FACTUAL": (
        "laden hotline sendungsverfolgung sendungsstatus lieferstatus button knopf schaltflache chart *tabelle* "
        "undeliverable unzustellbar "
        "atorder_ zoll customs hersteller manufacturer akku battery display software ladegerat price prices "
        "preis preise preises modell model version serie balance guthaben tracking stock total gesamt "
        "gesamtbetrag weighs kostet costs zwischensumme subtotal shipping versandkosten carrier courier "
        "paketdienst zusteller dhl hermes paketzentrum depot number nummer archive archiv noise lid deckel "
        "waterproof material"
    ),
    "PRODUCT": (
        "recipe formula formulation fabric cut collar sole design packaging material instructions manual lining range "
        "assortment catalogue catalog website firmware rezept* schnitt stoff bezug sohle *verpackung anleitung "
        "gebrauchsanweisung sortiment katalog futter kragen webseite"
    ),
    "REMADE": (
        "redesigned reworked reformulated discontinued refurbished overhauled renamed strengthened uberarbeitet "
        "verstarkt verkleinert vergrossert eingestellt umgestaltet generaluberholt aufbereitet"
    ),
    "TALK": (
        "feedback ruckmeldung beschwerde complaint erinnerung reminder mail newsletter "
        "link links hinweis nachricht frage foto photo formular kommentar comment question message note "
        "details seite page vorschlag proposal e-mails"
    ),
    "WAS_READ": (
        "eingelost redeemed verloren gestohlen stolen aufgeteilt verteilt attempted kept attached abgegeben "
        "aufbewahrt gelagert verlassen getragen worn angehangt "
        "reached arrived improved verbessert entwickelt developed built gebaut belastet genutzt verwendet "
        "benutzt eingesetzt gewahlt chosen selected angegeben delivered shipped sent dispatched placed paid "
        "received packed handed scanned delayed lost ordered damaged broken left- charged billed collected "
        "printed purchased bought discontinued authorised posted expected discussed born used asked told "
        "mentioned geliefert zugestellt versandt verschickt versendet bestellt bezahlt gekauft ubergeben "
        "verpackt aufgegeben eingegangen abgeholt verladen gescannt beschadigt abgebucht berechnet erwartet "
        "cleaned inspected wrapped labelled labeled gereinigt gewogen beklebt etikettiert geblieben "
        "split assigned weighed reduced raised launched tested produced manufactured gesenkt hergestellt "
        "gepackt angekommen eingetroffen losgegangen erhoht getestet verpackt eingepackt gefunden informiert "
        "gebeten"
    ),
}


def _tables() -> tuple[dict[str, set[str]], dict[str, set[str]], dict[str, set[str]]]:
    exact: dict[str, set[str]] = {}
    stems: dict[str, set[str]] = {}
    parts: dict[str, set[str]] = {}
    for table in (_SUBJECT, _GRAMMAR, _PREDICATES, _HARMLESS):
        for tags, words in table.items():
            for word in words.split():
                where = parts if word[0] == "*" else stems if word[-1] == "*" else exact
                where.setdefault(word.strip("*"), set()).update(tags.split())
    return exact, stems, parts


_EXACT, _STEMS, _PARTS = _tables()
# What makes a sentence wait until it can be judged whole; a word that is only begun may become one of these.
SIGNS = frozenset({"EVENT", "DONE_TO", "DOING", "MONEY", "FINISHED", "COMPLETED", "UNDER_WAY", "ENDED"})
FIRST_PARTS = frozenset(
    word[:end] for table in (_EXACT, _STEMS, _PARTS) for word, tags in table.items() if tags & SIGNS
    for end in range(2, len(word))
)  # fmt: skip


@lru_cache(maxsize=8192)
def tags_of(word: str) -> frozenset[str]:
    """All that a word may do in a sentence."""
    tags = set(_EXACT.get(word, ()))
    for end in range(3, len(word) + 1):
        tags |= _STEMS.get(word[:end], set())
    if len(word) > 4 and not tags & {"DONE_TO", "DOING"}:
        for part, also in _PARTS.items():
            if part in word and "enttausch" not in word:
                tags |= also
    if word in ("credit",):
        tags.add("MONEY")
    return frozenset(tags)
