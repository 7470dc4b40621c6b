"""What a customer reads when a run ends otherwise than with an answer: what is so, what did not happen, what to do."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

UNREACHABLE = _(
    "I could not reach the service that writes my answers. Your message is kept and nothing was changed. "
    "Try again in a minute, or talk to a person; reference %(reference)s."
)
REFUSED_BY_SERVICE = _(
    "My answer could not be written because of a fault on our side. Your message is kept and nothing was changed. "
    "A person can help you; reference %(reference)s."
)
CUT_OFF = _(
    "My answer became too long and was cut off. Ask for a smaller part of it, or talk to a person; "
    "reference %(reference)s."
)
DECLINED = _("I cannot help with this here. Nothing was changed. A person can look at it; reference %(reference)s.")
NOTHING_SAID = _("I have no answer to this. Ask it in other words, or talk to a person; reference %(reference)s.")
INTERNAL = _(
    "Something on our side failed. Your message is kept and nothing was changed by this. "
    "Try again, or talk to a person; reference %(reference)s."
)
OUT_OF_STEPS = _(
    "This took more steps than I am allowed, so I stopped. Nothing is done without your confirmation. "
    "A person can go on from here; reference %(reference)s."
)
OUT_OF_TIME = _(
    "This took longer than I am allowed, so I stopped. Nothing is done without your confirmation. "
    "Try again, or talk to a person; reference %(reference)s."
)
OUT_OF_MEANS = _(
    "This took more work than I may spend on one question, so I stopped. Nothing is done without your confirmation. "
    "Ask for a part of it, or talk to a person; reference %(reference)s."
)
OUT_OF_MEANS_HERE = _(
    "This conversation has used up what I may spend on it. Start a new one, or talk to a person; "
    "reference %(reference)s."
)
OUT_OF_MEANS_TODAY = _(
    "You have reached what I may spend on one customer in a day. A person can help you today, I can again tomorrow; "
    "reference %(reference)s."
)
SHOP_OUT_OF_MEANS_TODAY = _(
    "I have reached what I may spend today. Your message is kept. A person can help you; reference %(reference)s."
)
REPEATING = _(
    "I was going round in circles, so I stopped. Nothing is done without your confirmation. "
    "Ask it in other words, or talk to a person; reference %(reference)s."
)
INTERRUPTED = _(
    "My work on this was interrupted several times, so I stopped. Nothing is done without your confirmation. "
    "Try again, or talk to a person; reference %(reference)s."
)
STOPPED = _("Stopped. What was already looked up stays; nothing is done without your confirmation.")
SWITCHED_OFF = _("The assistant is switched off at the moment. Your message is kept. A person can help you.")
ACCOUNT_CLOSED = _("This account is closed. A person can help you.")

_FINAL: dict[str, Promise] = {
    "max_tokens": CUT_OFF,
    "model_context_window_exceeded": CUT_OFF,
    "refusal": DECLINED,
}
_RETRIED = ("overloaded", "rate_limited", "timeout", "connection", "truncated", "server_error")


def for_provider_error(code: str, *, retryable: bool) -> Promise:
    """A service that may be back in a minute, or a fault that only the shop can mend."""
    return UNREACHABLE if retryable or code in _RETRIED else REFUSED_BY_SERVICE


def for_stop_reason(stop_reason: str) -> Promise:
    """Words in the place of an answer that the model did not finish or did not give."""
    return _FINAL.get(stop_reason, NOTHING_SAID)
