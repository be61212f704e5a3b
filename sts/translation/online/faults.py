"""How a call to a translation service can fail.

Every class takes its message as the only argument, so that a caller can add to the message and
keep the class: ``raise type(error)(f"{error}; more")``. No message contains an API key.
"""

from __future__ import annotations

from sts.errors import StsError
from sts.translation.translator import TranslationError


class UnknownPairError(StsError):
    """The service does not translate between these languages; the message lists those it does."""


class TemporaryError(TranslationError):
    """Failure of a request that may succeed later.

    Attributes:
        retry_after: seconds that the service asks to wait; None if it did not say.
        billed: whether the service may have translated and charged for the text.
    """

    retry_after: float | None = None
    billed = True


class UnreachableError(TemporaryError):
    """No connection, no answer in time, or a connection that broke."""


class BusyError(TemporaryError):
    """The service reported too many requests or an internal error."""

    billed = False


class BadAnswerError(TemporaryError):
    """The answer holds no translation: empty, cut off, an HTML page, or not UTF-8."""


class RejectedError(TranslationError):
    """The service refuses to translate this text; trying again would not help."""


class KeyRefusedError(TranslationError):
    """The key is missing, wrong or blocked, or this network address is banned."""


class QuotaError(TranslationError):
    """The daily or monthly quota of this key or address is used up."""


class BudgetError(TranslationError):
    """The budget that the user set for this run is used up."""


def shorten(text: str) -> str:
    """The first 80 characters of a text, quoted, for a message."""
    return repr(text if len(text) <= 80 else f"{text[:79]}…")
