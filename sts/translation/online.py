"""Base classes of the translation services on the network.

A request contains one text, or several where the service allows it. It is sent not too fast, and
again after a temporary fault.
"""

from __future__ import annotations

import json
import os
import re
import time
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar
from urllib.parse import quote, quote_plus

from semaniacs.sts.errors import MissingResourceError
from semaniacs.sts.offline import check_online, within
from semaniacs.sts.translation.translator import (
    BadAnswerError,
    Provider,
    RejectedError,
    TemporaryError,
    Translation,
    TranslationError,
    UnknownPairError,
)

_PARTS = 4
"""Number of time-outs in which the whole answer must be there, however steadily it arrives."""

_TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
"""HTTP statuses after which the same request may succeed."""

_QUOTA_EXCEEDED = 456  # DeepL's own status for a used-up quota

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""Characters that services read as the end of a sentence, or lose."""


class OnlineProvider(Provider):
    """A service that is sent one request after the other; ``--translator`` takes its name.

    After a :class:`.TemporaryError` a text is sent again: after 1 second, then 2, 4, 8 …, each
    plus a random part of a second. If a request with several texts fails, each is sent alone.

    Attributes:
        rate: requests per second, of all translators in this process together.
        batch: most texts of a request.
        longest: most characters of a request.
        keys: environment variables that must be set.
        languages: the ISO 639-1 codes that it is used for; None leaves that to the service.
        timeout: seconds to wait for a connection and for each part of an answer.
        tries: highest number of times that a text is sent alone.
    """

    rate: float
    batch: int = 1
    longest: ClassVar[int]
    keys: ClassVar[tuple[str, ...]] = ()
    languages: ClassVar[tuple[str, ...] | None] = ("en", "es")
    chunk = 10
    timeout: float = 30.0
    tries: int = 7  # over a minute in all, after which services accept requests again

    _next_request: ClassVar[dict[str, float]] = {}
    """Time before which no request is sent, by the name of the service."""

    @property
    def install_hint(self) -> str:
        """Keys to set."""
        return f"set {' and '.join(self.keys)}"

    def available(self) -> bool:
        """Return whether every key is set."""
        return all(map(os.environ.get, self.keys))

    @abstractmethod
    def send(self, texts: list[str], source: str, target: str) -> list[object]:
        """Send texts once and return their translations, or whatever came instead."""

    def translate(self, texts: Sequence[str], source: str, target: str) -> Iterator[Translation]:
        """Yield a translation for each text; errors are those of :meth:`.Translator.translate`."""
        check_online(f"translator {self.name}", "choose apertium or memory")
        if not self.available():
            raise MissingResourceError(f"{self.name} cannot be used; {self.install_hint}")
        if self.languages and (source == target or not {source, target} <= set(self.languages)):
            raise UnknownPairError(
                f"{self.name} is not used for {source}->{target}; "
                f"choose two of {', '.join(self.languages)}"
            )
        for batch in self._batches(texts):
            yield from map(Translation, self._translate_batch(batch, source, target))

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """Yield the texts of each request, as they are sent."""
        batch: list[str] = []
        for text in texts:
            sent = _CONTROL.sub(" ", text).strip().encode("utf-8", "replace").decode("utf-8")
            size = sum(map(len, batch)) + len(sent)
            if batch and (len(batch) == self.batch or size > self.longest):
                yield batch
                batch = []
            batch.append(sent)
        if batch:
            yield batch

    def _translate_batch(self, texts: list[str], source: str, target: str) -> Iterator[str]:
        """Yield the translations; several texts are sent once, and alone if one may be at fault."""
        try:
            yield from self._with_tries(texts, source, target)
        except (RejectedError, TemporaryError):
            if len(texts) == 1:
                raise
            for text in texts:
                yield from self._with_tries([text], source, target)

    def _with_tries(self, texts: list[str], source: str, target: str) -> list[str]:
        from tenacity import (
            Retrying,
            retry_if_exception_type,
            stop_after_attempt,
            wait_exponential_jitter,
        )

        text, tries = texts[0], self.tries if len(texts) == 1 else 1
        shown = repr(text if len(text) <= 80 else f"{text[:79]}…")
        if len(text) > self.longest:
            raise RejectedError(
                f"{self.name} accepts {self.longest:,} characters, and {shown} has {len(text):,}; "
                "split the text into sentences"
            )
        retrying = Retrying(
            retry=retry_if_exception_type(TemporaryError),
            wait=wait_exponential_jitter(),
            stop=stop_after_attempt(tries),
            reraise=True,
        )
        try:
            translations: list[str] = retrying(self._send_once, texts, source, target)
            return translations
        except TemporaryError as error:
            raise type(error)(f"{error} (tried {tries} times, with {shown})") from None

    def _send_once(self, texts: list[str], source: str, target: str) -> list[str]:
        time.sleep(max(0.0, self._next_request.get(self.name, 0.0) - time.monotonic()))
        self._next_request[self.name] = time.monotonic() + 1 / self.rate
        answers = self.send(texts, source, target)
        found = [
            answer.strip()
            for answer in answers
            if isinstance(answer, str) and answer.strip() and not is_page(answer)
        ]
        if not len(found) == len(answers) == len(texts):
            raise BadAnswerError(f"{self.name}: the answer contains no translation")
        return found


def is_page(text: str) -> bool:
    """Return whether a text is an HTML page, as proxies and overloaded servers send."""
    return re.match(r"\s*<(!doctype|html|head|body)\b", text, re.IGNORECASE) is not None


class HttpProvider(OnlineProvider):
    """A service that takes one HTTP request and answers in JSON."""

    largest_answer: ClassVar[int] = 2**24
    """Most bytes of an answer, unpacked."""

    @abstractmethod
    def request(self, texts: list[str], source: str, target: str) -> dict[str, Any]:
        """Return the arguments of ``requests.request`` that translate ``texts``.

        Keys belong in headers or in the body: addresses are written to logs.
        """

    @abstractmethod
    def read(self, answer: Any) -> list[object]:
        """Return the translations in the parsed JSON."""

    def secrets(self) -> list[str]:
        """Return the secrets that no message may contain."""
        return [value for value in map(os.environ.get, self.keys) if value]

    def send(self, texts: list[str], source: str, target: str) -> list[object]:
        """Send texts once and return their translations."""
        with network_faults(self.name):
            status, content = within(
                _PARTS * self.timeout, lambda: self._receive(self.request(texts, source, target))
            )
        if not 200 <= status < 300:
            raise self._error(status, content)
        try:
            return self.read(json.loads(content.decode("utf-8")))
        except UnicodeDecodeError:
            raise BadAnswerError(f"{self.name}: the answer is not UTF-8") from None
        except (ValueError, RecursionError):
            kind = "an HTML page" if is_page(content.decode()) else "not JSON, or is cut off"
            raise BadAnswerError(f"{self.name}: the answer is {kind}") from None
        except (LookupError, TypeError, AttributeError):
            raise BadAnswerError(f"{self.name}: the answer contains no translation") from None

    def _receive(self, request: dict[str, Any]) -> tuple[int, bytes]:
        """Return status and body of the answer."""
        import requests

        content = bytearray()
        # Redirected, a POST becomes a GET, and the key goes to another server.
        with requests.request(
            **request, timeout=self.timeout, allow_redirects=False, stream=True
        ) as response:
            for block in response.iter_content(2**16):
                content += block
                if len(content) > self.largest_answer:
                    raise BadAnswerError(
                        f"{self.name}: the answer is larger than {self.largest_answer:,} bytes"
                    )
            return response.status_code, bytes(content)

    def _error(self, status: int, content: bytes) -> TranslationError:
        message = f"{self.name} answered {status}{self._reason(content)}"
        if status == _QUOTA_EXCEEDED:
            return TranslationError(
                f"{message}: its quota is used up; wait until it is renewed, or choose another"
            )
        if status in _TEMPORARY:
            return TemporaryError(message)
        if status in (401, 403):
            return TranslationError(
                f"{message}: it refuses the key, or this address; check the key"
            )
        if 300 <= status < 400:
            message += ": it has moved; give its new address"
        return RejectedError(message)

    def _reason(self, content: bytes) -> str:
        """Return the service's own error message, in brackets, on one line and without secrets."""
        try:
            body = json.loads(content)
        except (ValueError, RecursionError):
            return ""
        while isinstance(body, dict):
            body = body.get("error") or body.get("message")
        if not isinstance(body, str):
            return ""
        for secret in self.secrets():
            for form in (secret, quote(secret), quote_plus(secret)):
                body = body.replace(form, "***")
        return f" ({' '.join(body.split())[:200]})"


@contextmanager
def network_faults(name: str) -> Iterator[None]:
    """Turn errors of requests into ours, without their messages, which contain the address."""
    import requests

    try:
        yield
    except (requests.Timeout, TimeoutError):
        raise TemporaryError(f"{name} did not answer in time") from None
    except requests.ConnectionError:
        raise TemporaryError(
            f"{name} cannot be reached, or broke the connection; is there a network?"
        ) from None
    except (requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError):
        raise BadAnswerError(f"{name}: the answer was cut off") from None
    except requests.RequestException as error:
        raise TranslationError(f"{name} failed with {type(error).__name__}") from None
