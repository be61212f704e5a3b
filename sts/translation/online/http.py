"""Services with a documented HTTP interface: one JSON answer per request."""

from __future__ import annotations

import json
import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, quote_plus

from sts.offline import within
from sts.translation.online.faults import (
    BadAnswerError,
    BusyError,
    KeyRefusedError,
    QuotaError,
    RejectedError,
    UnreachableError,
)
from sts.translation.online.service import OnlineProvider, Send, is_page
from sts.translation.translator import TranslationError

if TYPE_CHECKING:
    from requests import Session

Fetch = Callable[[dict[str, Any]], Any]
"""Sends a request, given as the arguments of ``requests.Session.request``; returns the JSON."""

QUOTA_EXCEEDED = 456
"""DeepL's own status for a used-up quota."""

LARGEST_ANSWER = 2**24
"""Bytes of an answer at most, unpacked; a thousandth is usual."""

_BLOCK = 2**16

_PARTS = 4
"""Time-outs in which the whole answer must be there, however steadily its parts arrive."""

_TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP statuses after which the same request may succeed."""

_REASONS = ("error", "message")
"""Where the JSON of these services says what went wrong."""


class HttpProvider(OnlineProvider):
    """A service that takes one HTTP request and answers in JSON."""

    @abstractmethod
    def request(self, texts: list[str], source: str, target: str) -> dict[str, Any]:
        """The arguments of ``requests.Session.request`` that translate ``texts``.

        Keys belong in headers or in the body: addresses are written to logs.
        """

    @abstractmethod
    def read(self, answer: Any) -> Sequence[object]:
        """One translation per text from the parsed JSON; may raise LookupError or TypeError."""

    def secrets(self) -> list[str]:
        """Secrets that no message may contain."""
        return [value for value in map(os.environ.get, self.keys) if value]

    @contextmanager
    def connect(self, source: str, target: str) -> Iterator[Send]:
        """A session, which keeps its connections for the next request."""
        import requests

        with requests.Session() as session:
            yield partial(self.send, partial(self._fetch, session), source, target)

    def send(self, fetch: Fetch, source: str, target: str, texts: list[str]) -> Sequence[object]:
        """Send the texts once; raises the errors of :mod:`.faults`."""
        answer = fetch(self.request(texts, source, target))
        try:
            return self.read(answer)
        except (LookupError, TypeError, AttributeError):
            raise BadAnswerError(f"{self.name}: the answer holds no translation") from None

    def _fetch(self, session: Session, request: dict[str, Any]) -> Any:
        seconds = self.settings.timeout
        with network_faults(self.name):
            status, headers, content = within(
                _PARTS * seconds, partial(self._receive, session, request, seconds)
            )
        self._check_status(status, content, headers)
        try:
            text = content.decode("utf-8")
            answer = json.loads(content)
        except UnicodeDecodeError:
            raise BadAnswerError(f"{self.name}: the answer is not UTF-8") from None
        except (ValueError, RecursionError):
            kind = "an HTML page" if is_page(text) else "not JSON, or is cut off"
            raise BadAnswerError(f"{self.name}: the answer is {kind}") from None
        return answer

    def _receive(
        self, session: Session, request: dict[str, Any], seconds: float
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Status, headers and body of the answer to a request, sent once."""
        content = bytearray()
        # Redirected, a POST becomes a GET, and the key goes to another server.
        with session.request(
            **request, timeout=seconds, allow_redirects=False, stream=True
        ) as response:
            for block in response.iter_content(_BLOCK):
                content += block
                if len(content) > LARGEST_ANSWER:
                    raise BadAnswerError(
                        f"{self.name}: the answer is larger than {LARGEST_ANSWER:,} bytes"
                    )
            return response.status_code, response.headers, bytes(content)

    def _check_status(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        if 200 <= status < 300:
            return
        message = f"{self.name} answered {status}{self._reason(content)}"
        if status == QUOTA_EXCEEDED:
            raise QuotaError(
                f"{message}: its quota is used up; wait until it is renewed, or choose another"
            )
        if status in _TEMPORARY:
            busy = BusyError(message)
            busy.retry_after = retry_after(headers.get("Retry-After"))
            raise busy
        if status in (401, 403):
            raise KeyRefusedError(f"{message}: it refuses the key, or this address; check the key")
        if 300 <= status < 400:
            raise RejectedError(f"{message}: it has moved; give its new address")
        raise RejectedError(message)

    def _reason(self, content: bytes) -> str:
        """Return the service's own error message, in brackets, on one line and without secrets."""
        try:
            body = json.loads(content)
        except (ValueError, RecursionError):
            return ""
        while isinstance(body, dict):
            body = next(filter(None, map(body.get, _REASONS)), None)
        if not isinstance(body, str):
            return ""
        for secret in self.secrets():
            for form in (secret, quote(secret), quote_plus(secret)):
                body = body.replace(form, "***")
        return f" ({' '.join(body.split())[:200]})"


@contextmanager
def network_faults(name: str) -> Iterator[None]:
    """Turns errors of requests into ours, without their messages, which hold the address."""
    import requests

    try:
        yield
    except (requests.Timeout, TimeoutError):
        raise UnreachableError(f"{name} did not answer in time") from None
    except requests.ConnectionError:
        raise UnreachableError(
            f"{name} cannot be reached, or broke the connection; is there a network?"
        ) from None
    except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError):
        raise BadAnswerError(f"{name}: the answer was cut off") from None
    except requests.RequestException as error:
        raise TranslationError(f"{name} failed with {type(error).__name__}") from None


def retry_after(value: str | None) -> float | None:
    """The seconds that a Retry-After header asks to wait; None without one that can be read.

    A number of seconds or a date (RFC 9110, section 10.2.3).
    """
    from urllib3.exceptions import InvalidHeader
    from urllib3.util import Retry

    try:
        return None if value is None else Retry().parse_retry_after(value)
    except InvalidHeader:
        return None
