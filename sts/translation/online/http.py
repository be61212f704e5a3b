"""HTTP to a translation engine: what came back, or which of the known faults it is."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

from sts.translation.online.faults import (
    BadAnswerError,
    BusyError,
    KeyRefusedError,
    QuotaError,
    RejectedError,
    TemporaryError,
    UnreachableError,
)
from sts.translation.online.rate_limit import Clock
from sts.translation.translator import TranslationError

if TYPE_CHECKING:
    import requests

QUOTA_GONE = 456
"""DeepL's own status for a used-up quota; others say 403 or 429, or say it in the body."""

_BUSY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""After these the same request may be answered: time-out, too many, errors of the server."""

_SAID = ("error", "message", "responseDetails", "error_msg")
"""Where the engines' JSON says what is wrong."""


@dataclass(frozen=True)
class Rules:
    """How to read one engine's answers.

    Attributes:
        name: of the engine, for messages.
        secrets: keys, which are cut out of whatever the engine says.
        quota: the statuses that mean that the quota is used up.
        inner: the HTTP status that the engine hides in a body sent with status 200.
        clock: tells how far away the date of a Retry-After is.
    """

    name: str
    secrets: tuple[str, ...] = ()
    quota: frozenset[int] = frozenset({QUOTA_GONE})
    inner: Callable[[Any], int] | None = None
    clock: Clock = time


def open_session() -> AbstractContextManager[requests.Session]:
    """Connections that are kept for the next request, and closed at the end."""
    import requests

    return requests.Session()


def exchange(send: Callable[[], requests.Response], rules: Rules) -> requests.Response:
    """The answer to a request: its status is 2xx and its body whole and UTF-8.

    Args:
        send: sends the request once.
        rules: the engine's.

    Raises:
        UnreachableError: no connection, or no whole answer in time.
        BadAnswerError: the body is cut off, cannot be decoded, or is a page where JSON is due.
        BusyError, QuotaError, KeyRefusedError, RejectedError: by the status.
    """
    response = _sent(send, rules.name)
    _refuse_status(response.status_code, response, rules)
    try:
        # Given a charset, requests does not guess: a guess would turn a broken
        # body into a translation with wrong letters.
        response.content.decode("utf-8")
    except UnicodeDecodeError:
        raise BadAnswerError(f"{rules.name}: the answer is not UTF-8") from None
    response.encoding = "utf-8"
    if rules.inner is not None:
        _refuse_status(rules.inner(json_of(response, rules.name)), response, rules)
    return response


def json_of(response: requests.Response, name: str) -> Any:
    """The JSON of the body.

    Raises:
        BadAnswerError: it is none; often a page of HTML, or cut off.
    """
    try:
        return response.json()
    except ValueError:
        kind = "a page of HTML" if is_page(response.text) else "no JSON"
        raise BadAnswerError(f"{name}: the answer is {kind}, or is cut off") from None


def is_page(text: str) -> bool:
    """Whether this is a page of HTML, as proxies and overloaded servers send."""
    return re.match(r"\s*<(!doctype|html|head|body)\b", text, re.IGNORECASE) is not None


def retry_after(value: str | None, clock: Clock) -> float | None:
    """The seconds that a Retry-After asks to wait, from 0; None if it says nothing we can read.

    RFC 9110, 10.2.3: a number of seconds, or a date.
    """
    if value is None:
        return None
    if re.fullmatch(r"\s*[0-9]+\s*", value):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    return max(0.0, date.timestamp() - clock.time())


def _sent(send: Callable[[], requests.Response], name: str) -> requests.Response:
    """The answer, whatever its status; messages of requests hold addresses, and those keys."""
    import requests

    try:
        return send()
    except requests.Timeout:
        raise UnreachableError(f"{name} did not answer in time") from None
    except requests.ConnectionError:
        raise UnreachableError(
            f"{name} cannot be reached, or broke the connection; is there a network?"
        ) from None
    except (
        requests.exceptions.ChunkedEncodingError,
        requests.exceptions.ContentDecodingError,
    ):
        raise BadAnswerError(f"{name}: the answer was cut off") from None
    except requests.RequestException as error:
        raise TranslationError(f"{name} failed with {type(error).__name__}") from None


def _refuse_status(status: int, response: requests.Response, rules: Rules) -> None:
    if 200 <= status < 300:
        return
    said = f"{rules.name} answered {status}{_said(response, rules.secrets)}"
    if status in rules.quota:
        raise QuotaError(
            f"{said}: its quota is used up; wait until it is renewed, or choose another"
        )
    if status in _BUSY:
        busy: TemporaryError = BusyError(said)
        busy.wait = retry_after(response.headers.get("Retry-After"), rules.clock)
        raise busy
    if status in (401, 403):
        raise KeyRefusedError(f"{said}: it refuses the key, or this address; check the key")
    if 300 <= status < 400:
        raise RejectedError(f"{said}: it has moved; give the address that it has now")
    raise RejectedError(said)


def _said(response: requests.Response, secrets: Sequence[str]) -> str:
    """What the engine says is wrong, in brackets, on one line and without keys."""
    try:
        body = response.json()
    except ValueError:
        return ""
    while isinstance(body, dict):
        body = next((body[field] for field in _SAID if body.get(field)), None)
    if not isinstance(body, str):
        return ""
    for secret in secrets:
        for form in (secret, quote(secret), quote_plus(secret)):
            body = body.replace(form, "***")
    return f" ({' '.join(body.split())[:200]})"
