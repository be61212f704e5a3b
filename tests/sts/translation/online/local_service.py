"""A server on this machine that speaks the interface of every translation service."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

Translate = Callable[[Sequence[str], str, str], list[str]]
PAGE = '<html><body><div class="result-container">{}</div></body></html>'

ANSWERS: dict[str, Callable[[Any], Any]] = {
    "google": PAGE.format,
    "deepl": lambda text: {"translations": [{"text": text}]},
    "libre": lambda text: {"translatedText": text},
}
"""Answer of each service to a text: a page, or the content of its JSON. LibreTranslate also takes a
list of texts."""


def upper(texts: Sequence[str], source: str, target: str) -> list[str]:
    """The translation of these tests."""
    return [text.upper() for text in texts]


class Service(ThreadingHTTPServer):
    """One translation service.

    Attributes:
        name: of the service that it plays.
        faults: names of methods of :class:`Handler`, one for each request to come; "" is none.
        requests: what was received.
        texts: the texts of each request for a translation.
        given: how often each text was translated in an answer that was complete.
        replies: status, JSON and headers of answers in place of the next translations.
        key: the only one that is accepted; None accepts any.
        most: characters that a request may hold.
    """

    block_on_close = True

    def __init__(self, name: str, translate: Translate = upper) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.name = name
        self.translate = translate
        self.faults: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.texts: list[list[str]] = []
        self.given: Counter[str] = Counter()
        self.replies: list[tuple[int, Any, dict[str, str]]] = []
        self.key: str | None = None
        self.most = 100_000
        self.closing = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def sent(self) -> list[str]:
        """The texts of all requests in one list."""
        return [text for texts in self.texts for text in texts]

    def body(self, found: list[str], as_list: bool) -> bytes:
        """An answer as the documentation of the service shows it."""
        answer = ANSWERS[self.name](found if as_list else "".join(found[:1]))
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        return text.encode()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone is what these tests are about."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Service

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path.endswith("/languages"):
            pairs = (("en", "es"), ("es", "en"))
            self.answer(200, [{"code": a, "name": a, "targets": [b]} for a, b in pairs])
        else:
            self.receive({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"])).decode()
        is_json = self.headers["Content-Type"] == "application/json"
        self.receive(json.loads(raw) if is_json else {k: v[0] for k, v in parse_qs(raw).items()})

    def receive(self, body: Any) -> None:
        query = {k: v[0] for k, v in parse_qs(urlsplit(self.path).query).items()}
        fields = query | (body if isinstance(body, dict) else {"q": body[0]["text"]})
        text = fields.get("q", fields.get("text"))
        texts = text if isinstance(text, list) else [text]
        self.server.requests.append(
            {"method": self.command, "path": self.path, "headers": self.headers, **fields}
        )
        self.server.texts.append(texts)
        fault = self.server.faults.pop(0) if self.server.faults else ""
        if fault:
            getattr(self, fault)(texts, isinstance(text, list))
        elif self.server.replies:
            status, body, headers = self.server.replies.pop(0)
            self.answer(status, body, **headers)
        else:
            self.translate(texts, isinstance(text, list))

    def translate(self, texts: list[str], as_list: bool, empty: int = -1) -> None:
        fields = self.server.requests[-1]
        if self.server.key and fields.get("api_key") != self.server.key:
            return self.answer(403, {"error": f"Invalid API key: {fields.get('api_key')}"})
        if fields.get("target", "en") not in ("en", "es"):
            return self.answer(400, {"error": f"{fields['target']} is not supported"})
        if sum(map(len, texts)) > self.server.most:
            return self.answer(400, {"error": "Invalid request: exceeds text limit"})
        source, target = fields.get("source", "es"), fields.get("target", "en")
        found = self.server.translate(texts, source, target)
        if empty in range(len(found)):
            found[empty] = " "
        # before the answer: who has it may look at once
        self.server.given.update(t for t, f in zip(texts, found, strict=True) if f.strip())
        self.answer(200, self.server.body(found, as_list))
        return None

    def answer(self, status: int, body: object, **headers: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        kind = "text/html; charset=utf-8" if self.server.name == "google" else "application/json"
        for name, value in {
            "Content_Length": str(len(raw)), "Content_Type": kind, **headers,
        }.items():  # fmt: skip
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)
        self.wfile.flush()

    # The faults

    def slow_down(self, texts: list[str], as_list: bool) -> None:
        self.answer(429, {"error": "Slowdown: 20 per 1 minute"}, Retry_After="7")

    def error(self, texts: list[str], as_list: bool) -> None:
        self.answer(500, {"error": "Cannot translate text: out of memory"})

    def overloaded(self, texts: list[str], as_list: bool) -> None:
        self.answer(503, b"<html>Bad gateway</html>")

    def time_out(self, texts: list[str], as_list: bool) -> None:
        self.server.closing.wait(5)
        self.close_connection = True

    def truncate(self, texts: list[str], as_list: bool) -> None:
        self.answer(200, self.server.body(["HO"], as_list)[:20], Content_Length="400")
        self.close_connection = True

    def half(self, texts: list[str], as_list: bool) -> None:
        raw = self.server.body(["HO"], as_list)
        self.answer(200, raw[: len(raw) // 2])

    def latin_1(self, texts: list[str], as_list: bool) -> None:
        raw = self.server.body(["año"] * len(texts), as_list).decode()
        self.answer(200, raw.encode("latin-1"))

    def reset(self, texts: list[str], as_list: bool) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def empty(self, texts: list[str], as_list: bool) -> None:
        self.translate(texts, as_list, empty=0)

    def empty_last(self, texts: list[str], as_list: bool) -> None:
        self.translate(texts, as_list, empty=len(texts) - 1)

    def page(self, texts: list[str], as_list: bool) -> None:
        self.answer(200, b"<!DOCTYPE html><title>Welcome</title>", Content_Type="text/html")

    def page_inside(self, texts: list[str], as_list: bool) -> None:
        page = "<html><title>Bad gateway</title></html>"
        shown = page.replace("<", "&lt;") if self.server.name == "google" else page
        self.answer(200, self.server.body([shown] * len(texts), as_list))

    def nothing(self, texts: list[str], as_list: bool) -> None:
        self.answer(200, b"")

    def null(self, texts: list[str], as_list: bool) -> None:
        self.answer(200, b"null")

    def too_few(self, texts: list[str], as_list: bool) -> None:
        self.answer(200, {"translatedText": []})

    def something_else(self, texts: list[str], as_list: bool) -> None:
        self.answer(200, ["translatedText"])


FAULTS = (
    "slow_down", "error", "overloaded", "time_out", "truncate", "half", "latin_1", "reset",
    "empty", "empty_last", "page", "page_inside", "nothing", "null", "too_few", "something_else",
)  # fmt: skip


@contextmanager
def serving(name: str, translate: Translate = upper) -> Iterator[Service]:
    """The service, until the end of the context."""
    service = Service(name, translate)
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        service.closing.set()
        service.shutdown()
        service.server_close()
        thread.join()
