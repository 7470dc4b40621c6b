"""What can go wrong in the agent. The text of each may be shown to a customer; anything else is a bug.

A bug is logged whole and shown as a reference number (`new_reference`).
"""

import secrets

from django.utils.functional import Promise

# No 0/O, 1/I: a reference is read out over the telephone.
_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


def new_reference() -> str:
    """Eight characters that tie what the customer saw to the row and the log line."""
    return "".join(secrets.choice(_ALPHABET) for _ in range(8))


class AgentError(Exception):
    """The assistant cannot go on. `said` is what it had said of an unfinished answer by then."""

    said: str = ""


class NotFound(AgentError):
    """There is nothing here for this account: a stranger's row and a missing one are never told apart."""


class BadQuestion(AgentError):
    """The message is empty or too long; the text says which, and what to do."""


class TokenRefused(AgentError):
    """A token from outside opens nothing. `code` says why, for the log and the record; the caller learns no more
    than that it is not valid.
    """

    def __init__(self, code: str, *, user_id: int | None = None) -> None:
        super().__init__(f"The token is not valid ({code}).")
        self.code = code
        self.user_id = user_id  # whose it was, where that is known


class ClientRefused(AgentError):
    """A program cannot be known here as it describes itself. `code` is the one of RFC 7591 for it."""

    def __init__(self, message: str, *, code: str = "invalid_client_metadata") -> None:
        super().__init__(message)
        self.code = code


class AuthorizationRefused(AgentError):
    """A program asked for access in a way that gets none.

    With a `location` it is told so there; without one its own address cannot be trusted, and only the customer is told.
    """

    def __init__(self, message: str, *, location: str = "") -> None:
        super().__init__(message)
        self.location = location


class TooMuch(AgentError):
    """Too many requests. `retry_after` is in seconds."""

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class ToolArgumentError(AgentError):
    """The arguments of a call do not fit the schema that was published, or name what only the host may set."""


class Refusal(AgentError):
    """The shop will not do this; the text says why and, where there is one, the way out."""


class PageNotRead(AgentError):
    """A page from outside was refused, or did not come. The text says why and tells nothing of the network inside."""


class FactsChanged(AgentError):
    """What would be done is no longer what the customer was shown. Nothing was done."""


class RulesChanged(FactsChanged):
    """The facts are as they were shown, but the tool or the policy is another version. Nothing was done."""


class SignInAgain(AgentError):
    """Confirming this needs a sign-in of this moment. Nothing was done, and the proposal is as it was."""


class AgentBudgetExceeded(AgentError):
    """A run used up its steps or its time, or may not go on. Raised and caught inside the loop.

    `words` is what the customer reads, with a place for the reference; `code` is for the row.
    """

    def __init__(self, words: str | Promise, *, code: str) -> None:
        super().__init__(code)
        self.words = words
        self.code = code


class LeaseLost(AgentError):
    """Another worker has the run now: this one writes nothing more."""


class RunStopped(AgentError):
    """Somebody asked the run to stop."""


class ProviderError(AgentError):
    """The model's service failed.

    `code` is one word for the row and the log; `retryable` says whether the same request may succeed later,
    `retry_after` (seconds) what the service asked for.
    """

    def __init__(self, message: str, *, code: str, retryable: bool = False, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.retry_after = retry_after


class CannotErase(AgentError):
    """A person's data has to stay for now; the text says what stands against it."""
