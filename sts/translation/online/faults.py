"""How asking an engine on the network can fail.

Each is a :class:`TranslationError` made of its message alone, so that whoever
adds to the message can keep the kind: ``raise type(error)(f"{error}; more")``.
No message ever holds a key.
"""

from __future__ import annotations

from sts.errors import StsError
from sts.translation.translator import TranslationError

SHOWN = 80
"""Characters of a text that a message repeats."""


class UnknownPairError(StsError):
    """The engine does not translate between these languages; the message lists those it does."""


class TemporaryError(TranslationError):
    """It may go better in a while.

    Attributes:
        wait: the seconds that the engine itself asks to wait; None when it does not say.
        billed: whether the engine may have translated and counted the text all the same.
    """

    wait: float | None = None
    billed = True


class UnreachableError(TemporaryError):
    """No connection, no answer in time, or a connection that broke."""


class BusyError(TemporaryError):
    """The engine answered with too many requests, or with an error of its own."""

    billed = False


class BadAnswerError(TemporaryError):
    """An answer that is no translation: empty, cut off, a page of HTML, not UTF-8."""


class RejectedError(TranslationError):
    """The engine will not translate this text, however often it is asked."""


class KeyRefusedError(TranslationError):
    """The key is missing, wrong or blocked, or the engine bans this address."""


class QuotaError(TranslationError):
    """What the engine gives this key or this address for a day or a month is used up."""


class BudgetError(TranslationError):
    """What the person allows for this run is used up."""


def shorten(text: str) -> str:
    """The beginning of a text as a message shows it, quoted."""
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…")
