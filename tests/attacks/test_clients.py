"""Clients of the server that send anything, nothing or without end, or under another's name."""

from __future__ import annotations

import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("fastapi_offline", reason="pip install 'semaniacs[serve]'")

import uvicorn

from semaniacs.runs.service.application import build_application
from semaniacs.runs.service.served_models import ServedModels
from semaniacs.runs.service.server import configure

SECRET, SOON = "Zyzzyva knows the launch code.", 20.0


class Target:
    """A server in a thread of this process."""

    def __init__(self, server: uvicorn.Server, thread: threading.Thread, port: int) -> None:
        self.server, self.thread, self.port = server, thread, port

    def open(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=SOON)

    def ask(self, request: bytes, end: bool = False) -> bytes:
        """Send bytes, and an end if wanted; everything that comes back."""
        with self.open() as connection, suppress(ConnectionError):
            connection.sendall(request)
            if end:
                connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))
        return b""

    def lives(self) -> bool:
        return b'"status":"ok"' in self.ask(request("GET", "/health"))


def becomes_true(condition: Callable[[], bool]) -> bool:
    end = time.monotonic() + SOON
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    about = {"Host": "127.0.0.1", "Connection": "close"}
    if method == "POST":
        about |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    lines = [f"{method} {path} HTTP/1.1", *(f"{k}: {v}" for k, v in (about | headers).items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


@contextmanager
def listening() -> Iterator[Target]:
    application = build_application(ServedModels(("raw",), ("paragram",)), seconds=0.5)
    server = uvicorn.Server(configure(application))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield Target(server, thread, listener.getsockname()[1])
        finally:
            server.should_exit = True
            thread.join(SOON)


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with listening() as found:
        yield found


GOOD = json.dumps({"pairs": [[SECRET, "It does."]], "model": "raw"}).encode()
GOOD_REQUEST = request("POST", "/score", GOOD)
CHANGES = st.lists(
    st.tuples(st.integers(0, len(GOOD_REQUEST)), st.integers(0, 40), st.binary(max_size=8)),
    max_size=5,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES, path=st.sampled_from(["/score", "/explain", "/embed", "/"]))
def test_changed_requests_end_in_no_error_500(
    target: Target,
    capfd: pytest.CaptureFixture[str],
    changes: list[tuple[int, int, bytes]],
    path: str,
) -> None:
    sent = GOOD_REQUEST.replace(b"/score", path.encode())
    for place, length, new in changes:
        sent = sent[:place] + new + sent[place + length :]
    answer = target.ask(sent, end=True)
    assert not answer or re.match(rb"HTTP/1.1 [24]", answer)
    assert SECRET.encode() not in answer.partition(b"\r\n\r\n")[0]
    assert target.lives()
    assert capfd.readouterr().err == ""


CHUNKED = request("POST", "/score", **{"Transfer-Encoding": "chunked"}).replace(
    b"Content-Length: 0\r\n", b""
)
STALLING = {
    "sends a body slowly": (request("POST", "/score", **{"Content-Length": "999"}), b" ", 0.05),
    "sends a body without end": (
        request("POST", "/score", **{"Content-Length": "9" * 12}), b" " * 65536, 0
    ),
    "sends chunks without end": (CHUNKED, b"1\r\n \r\n" * 999, 0),
}  # fmt: skip
"""What a client sends first, then again and again, and the pause between."""


@pytest.mark.parametrize("kind", STALLING)
def test_a_body_that_does_not_end_is_disconnected(target: Target, kind: str) -> None:
    begin, block, pause = STALLING[kind]
    connection = target.open()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)

    def attack() -> None:
        with suppress(OSError):
            connection.sendall(begin)
            while block:
                connection.sendall(block)
                time.sleep(pause)

    threading.Thread(target=attack, daemon=True).start()
    time.sleep(0.1)  # until it is accepted
    assert becomes_true(lambda: not target.server.server_state.connections)
    connection.close()


def test_a_client_does_not_hold_a_server_that_is_stopped() -> None:
    with listening() as stopped:
        connection = stopped.open()
        connection.sendall(request("POST", "/score", **{"Content-Length": "999"}))
    assert not stopped.thread.is_alive()
    connection.close()
