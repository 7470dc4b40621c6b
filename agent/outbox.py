"""Mail leaves through rows: written in the transaction of its cause, sent after it, by any process that keeps time.

A mail is sent by whoever moved its row. What cannot be known is whether a process that died while sending had sent:
such a mail goes again after its pause, under the same Message-ID, so that the reader's side can tell it is the same.
"""

import hashlib
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db.models import F, QuerySet
from django.template.loader import render_to_string
from django.utils import timezone

from agent.db import release
from agent.fields import storable
from agent.models import Conversation, OutgoingMail
from agent.rounds import Round
from agent.untrusted import clean_text

logger = logging.getLogger(__name__)

# After the first try, the second, ...; a mail that fails once more after the last pause is given up.
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 480))
MOST_TRIES = len(PAUSES) + 1
AT_A_TIME = 50


@dataclass(frozen=True)
class Letter:
    """What a mail says, as text and, where there is a template for it, as HTML."""

    subject: str
    text: str
    html: str = ""


def is_on() -> bool:
    """Whether mail leaves this site at all."""
    return not settings.EMAIL_BACKEND.endswith("dummy.EmailBackend")


def own_address(user: Any) -> str | None:
    """The account's confirmed address, the primary one first; None where there is none."""
    rows = EmailAddress.objects.filter(user_id=user.pk, verified=True).order_by("-primary", "pk")
    return rows.values_list("email", flat=True).first()


def letter(name: str, context: dict, *, subject: str) -> Letter:
    """The templates agent/email/<name>.txt and .html, filled in the active language."""
    text = render_to_string(f"agent/email/{name}.txt", context)
    return Letter(subject=subject, text=text.strip() + "\n", html=render_to_string(f"agent/email/{name}.html", context))


def write(letter: Letter, *, key: str, to: str, conversation: Conversation | None = None) -> bool:
    """Keep a mail for sending, in the caller's transaction. False where the same key has written one before."""
    _mail, is_new = OutgoingMail.objects.get_or_create(
        key=key,
        defaults={
            "conversation": conversation,
            "to": to,
            "subject": " ".join(clean_text(storable(letter.subject)).split())[:200],  # a header has one line
            "text": storable(letter.text),
            "html": storable(letter.html),
            "due_at": timezone.now(),
        },
    )
    return is_new


def send_due(now: datetime | None = None) -> int:
    """Send what is due; returns how many left. Safe anywhere, at any time, in many processes at once."""
    due = _due(now or timezone.now()).order_by("due_at")
    return sum(_send(mail) for mail in due[:AT_A_TIME] if _claim(mail))


def send_again(mails: QuerySet[OutgoingMail]) -> int:
    """Give mails that were given up a fresh start. Returns how many."""
    given_up = mails.filter(sent_at__isnull=True, due_at__isnull=True)
    return given_up.update(due_at=timezone.now(), attempts=0)


def _due(now: datetime) -> QuerySet[OutgoingMail]:
    return OutgoingMail.objects.filter(due_at__lte=now, sent_at__isnull=True)


def _claim(mail: OutgoingMail) -> bool:
    """Take the next try: the row moves to the try after it, or to given up, before anything is sent."""
    pause = PAUSES[mail.attempts] if mail.attempts < len(PAUSES) else None
    moved = OutgoingMail.objects.filter(pk=mail.pk, due_at=mail.due_at, attempts=mail.attempts).update(
        attempts=F("attempts") + 1, due_at=timezone.now() + pause if pause else None
    )
    return moved == 1


def _send(mail: OutgoingMail) -> bool:
    row = OutgoingMail.objects.filter(pk=mail.pk)
    release()  # a mail server may take its time
    try:
        _message(mail).send()
    except Exception as error:
        logger.warning(
            "a mail did not leave", extra={"mail": mail.pk, "tries": mail.attempts + 1, "error": type(error).__name__}
        )
        row.update(last_error=storable(f"{type(error).__name__}: {error}")[:1000])
        return False
    row.update(sent_at=timezone.now(), due_at=None, last_error="")
    return True


def _message(mail: OutgoingMail) -> EmailMultiAlternatives:
    name = hashlib.sha256(f"countersign.mail:{mail.key}".encode()).hexdigest()[:40]
    host = urlsplit(settings.PUBLIC_URL).hostname or "localhost"
    message = EmailMultiAlternatives(
        subject=mail.subject,
        body=mail.text,
        to=[mail.to],
        headers={"Message-ID": f"<{name}@{host}>", "Auto-Submitted": "auto-generated"},
    )
    if mail.html:
        message.attach_alternative(mail.html, "text/html")
    return message


postman = Round("postman", is_due=lambda: _due(timezone.now()).exists(), work=send_due)


def send_soon() -> None:
    """The keeper's duty: let what is due be sent beside it."""
    postman.call()
