"""A server on this machine that speaks the interface of every translation service."""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

PAGE = '<html><body><div class="result-container">{}</div></body></html>'

ANSWERS: dict[str, Callable[[list[str]], Any]] = {
    "google": lambda texts: PAGE.format(*texts),
    "deepl": lambda texts: {"translations": [{"text": text} for text in texts]},
    "libre": lambda texts: {"translatedText": texts if len(texts) > 1 else texts[0]},
}
"""Answer of each service to texts: a page, or the content of its JSON."""


class Service(ThreadingHTTPServer):
    """One translation service, which turns texts into capitals.

    Attributes:
        name: of the service that it plays.
        faults: names of methods of :class:`Handler`, one for each request to come; "" is none.
        requests: the requests that were received.
        given: how often each text was translated.
        replies: status, JSON and headers of answers in place of the next translations.
    """

    block_on_close = True

    def __init__(self, name: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.name = name
        self.faults: list[str] = []
        self.requests: list[dict[str, Any]] = []
        self.given: Counter[str] = Counter()
        self.replies: list[tuple[int, Any, dict[str, str]]] = []
        self.closing = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def sent(self) -> list[str]:
        """The texts of all requests."""
        return [text for request in self.requests for text in texts_in(request)]

    def body(self, *found: str) -> bytes:
        """An answer as the documentation of the service shows it."""
        answer = ANSWERS[self.name]([*found])
        return (answer if isinstance(answer, str) else json.dumps(answer)).encode()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that has gone is what these tests are about."""


def texts_in(request: dict[str, Any]) -> list[str]:
    """The texts of a request."""
    found = request.get("q", request.get("text"))
    return found if isinstance(found, list) else [str(found)]


def fields_in(form: str) -> dict[str, Any]:
    """The fields of a form or a query; a list where one is repeated."""
    return {k: v if len(v) > 1 else v[0] for k, v in parse_qs(form).items()}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Service

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        self.receive({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"])).decode()
        is_json = self.headers["Content-Type"] == "application/json"
        self.receive(json.loads(raw) if is_json else fields_in(raw))

    def receive(self, body: dict[str, Any]) -> None:
        query = fields_in(urlsplit(self.path).query)
        self.server.requests.append(
            {"method": self.command, "path": self.path, "headers": self.headers, **query, **body}
        )
        fault = self.server.faults.pop(0) if self.server.faults else ""
        if fault:
            getattr(self, fault)()
        elif self.server.replies:
            status, answer, headers = self.server.replies.pop(0)
            self.answer(status, answer, **headers)
        else:
            texts = texts_in(self.server.requests[-1])
            self.server.given.update(texts)  # before the answer: who has it may look at once
            self.answer(200, self.server.body(*map(str.upper, texts)))

    def answer(self, status: int, body: object, **headers: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        kind = "text/html; charset=utf-8" if self.server.name == "google" else "application/json"
        standard = {"Content_Length": str(len(raw)), "Content_Type": kind}
        for name, value in (standard | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)
        self.wfile.flush()

    # The faults

    def slow_down(self) -> None:
        self.answer(429, {"error": "Slowdown: 20 per 1 minute"})

    def error(self) -> None:
        self.answer(500, {"error": "Cannot translate text: out of memory"})

    def time_out(self) -> None:
        self.server.closing.wait(5)
        self.close_connection = True

    def truncate(self) -> None:
        self.answer(200, self.server.body("HO")[:20], Content_Length="400")
        self.close_connection = True

    def half(self) -> None:
        raw = self.server.body("HO")
        self.answer(200, raw[: len(raw) // 2])

    def latin_1(self) -> None:
        self.answer(200, '{"translatedText": "año"}'.encode("latin-1"))

    def reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def empty(self) -> None:
        self.answer(200, self.server.body(" "))

    def page(self) -> None:
        self.answer(200, b"<!DOCTYPE html><title>Welcome</title>", Content_Type="text/html")

    def null(self) -> None:
        self.answer(200, b"null")


@contextmanager
def serving(name: str) -> Iterator[Service]:
    """The service, until the end of the context."""
    service = Service(name)
    thread = threading.Thread(target=service.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield service
    finally:
        service.closing.set()
        service.shutdown()
        service.server_close()
        thread.join()
