"""Clients that send anything, nothing or without end, and pages that ask in another's name."""

from __future__ import annotations

import json
import logging
import re
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import StringIO
from random import Random

import uvicorn

from runs.service.application import build_application
from runs.service.connections import PatientConnection
from runs.service.guards import Access
from runs.service.request_bodies import Limits
from runs.service.served_models import ServedModels
from runs.service.server import configured
from tests.attacks.promises import Trial, checker

SECRET = "Zyzzyva knows the launch code."
TOKEN = "a token of twenty-six signs"
SOON = 20.0
"""Seconds after which something counts as hung, on a machine that has more to do."""


class Hasty(PatientConnection):
    """Waits half a second, for twenty clients."""

    patience = 0.5
    most = 20


@dataclass
class Target:
    """A server in a thread of this process."""

    port: int
    server: uvicorn.Server
    thread: threading.Thread

    def open(self) -> socket.socket:
        """A new connection."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=SOON)

    def ask(self, request: bytes, end: bool = False) -> bytes:
        """All that is answered until the connection ends; ``end`` says that nothing follows."""
        with self.open() as connection, suppress(ConnectionError):
            connection.sendall(request)
            if end:
                connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))
        return b""

    def lives(self) -> bool:
        """Whether it answers as ever."""
        return b'"status":"ok"' in self.ask(get("/health"))

    def lives_soon(self) -> bool:
        """Whether it answers again, once those who hold it are sent away."""
        end = time.monotonic() + SOON
        while not self.lives():
            if time.monotonic() > end:
                return False
            time.sleep(0.1)
        return True

    def is_left_alone(self) -> bool:
        """Whether all connections have ended soon."""
        end = time.monotonic() + SOON
        while self.server.server_state.connections:
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True


def get(path: str, host: str = "127.0.0.1", **headers: str) -> bytes:
    """A request."""
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Connection: close"]
    return "\r\n".join([*lines, *(f"{k}: {v}" for k, v in headers.items()), "", ""]).encode()


def post(path: str, body: bytes, host: str = "127.0.0.1", **headers: str) -> bytes:
    """A request with JSON."""
    kept = {"Content-Type": "application/json", "Content-Length": str(len(body))} | headers
    return get(path, host, **kept).replace(b"GET", b"POST", 1) + body


@contextmanager
def listening(
    access: Access | None = None, kind: type[PatientConnection] = Hasty
) -> Iterator[Target]:
    """A server that is in a hurry, until the end of the context."""
    models = ServedModels(("raw",), ("paragram",))
    config = configured(build_application(models, access, Limits(seconds=0.5, body=200_000)))
    config.http = kind
    server = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        target = Target(listener.getsockname()[1], server, thread)
        try:
            yield target
        finally:
            server.should_exit = True
            thread.join(SOON)


@contextmanager
def overheard() -> Iterator[StringIO]:
    """What is logged or written to stderr meanwhile."""
    heard, stderr = StringIO(), sys.stderr
    handler = logging.StreamHandler(heard)
    logging.getLogger("uvicorn").addHandler(handler)
    sys.stderr = heard
    try:
        yield heard
    finally:
        sys.stderr = stderr
        logging.getLogger("uvicorn").removeHandler(handler)


# --- any bytes


def mutated(random: Random) -> bytes:
    """A request that was right, or nearly, or never."""
    if random.random() < 0.1:
        return random.randbytes(random.randrange(2000))
    body = json.dumps({"pairs": [[SECRET, "It does."]], "model": random.choice(["raw", "x", None])})
    request = bytearray(post(random.choice(["/score", "/explain", "/embed", "/"]), body.encode()))
    for _ in range(random.randrange(6)):
        place = random.randrange(len(request) + 1)
        if random.random() < 0.5:
            request[place : place + random.randrange(4)] = random.randbytes(random.randrange(4))
        else:
            some = bytes(request[place : place + random.randrange(40)])
            request[place:place] = some * random.randrange(1, 20)
    return bytes(request)


@checker(
    "service", "random bytes end in no error 500, and are told nobody",
    cases=10_000, sample=40, seconds=600,
)  # fmt: skip
def random_requests(trial: Trial) -> Iterator[str | None]:
    """Send them, sixteen at once; the server answers as ever in between."""
    with overheard() as heard, listening() as target, ThreadPoolExecutor(16) as pool:
        for begin in range(0, trial.cases, 100):
            count = min(100, trial.cases - begin)
            requests = [mutated(trial.random) for _ in range(count)]
            ends = [trial.random.random() < 0.8 for _ in range(count)]
            answers = pool.map(target.ask, requests, ends)
            found = [_told(*both) for both in zip(requests, answers, strict=True)]
            log = heard.getvalue()
            if SECRET in log or "request failed" in log or "Traceback" in log:
                found[-1] = f"in the log: {log[-300:]!r}"
            if not target.lives():
                found[-1] = f"no answer any more after {requests[-1][:200]!r}"
            yield from found


def _told(request: bytes, answer: bytes) -> str | None:
    head = answer.partition(b"\r\n\r\n")[0]
    if SECRET.encode() in head or (answer and not re.match(rb"HTTP/1.1 [24]", answer)):
        return f"{request[:200]!r} is answered {answer[:200]!r}"
    return None


# --- clients that stand still, or never end

Drip = Callable[[socket.socket], None]


def _drip(begin: bytes, block: bytes, pause: float) -> Drip:
    """Sends a beginning, then a block again and again until the connection ends."""

    def send(connection: socket.socket) -> None:
        end = time.monotonic() + SOON
        connection.sendall(begin)
        while time.monotonic() < end:
            connection.sendall(block)
            time.sleep(pause)

    return send


def _silent(connection: socket.socket) -> None:
    """Wait until the server has had enough."""
    connection.recv(1)


def _reads_nothing(connection: socket.socket) -> None:
    sentences = json.dumps({"sentences": [f"sentence {n}" for n in range(1500)]})
    connection.sendall(post("/embed", sentences.encode()).replace(b"Connection: close\r\n", b""))


_ENDLESS = post("/score", b"", **{"Content-Length": "9" * 12})
_CHUNKED = get("/score", **{"Content-Type": "application/json", "Transfer-Encoding": "chunked"})

STALLING: dict[str, Drip] = {
    "says nothing": _silent,
    "sends its headers byte by byte": _drip(b"GET / HTTP/1.1\r\nX: ", b"x", 0.05),
    "sends headers without end": _drip(b"GET / HTTP/1.1\r\n", b"X: x\r\n" * 500, 0),
    "sends its body byte by byte": _drip(post("/score", b"", **{"Content-Length": "999"}), b" ", 0.05),
    "sends a body without end": _drip(_ENDLESS, b" " * 65536, 0),
    "sends chunks without end": _drip(_CHUNKED.replace(b"GET", b"POST"), b"1\r\n \r\n" * 999, 0),
    "sends on after its answer": _drip(get("/health", **{"Content-Length": "9" * 9}), b" ", 0.05),
    "reads nothing": _reads_nothing,
}  # fmt: skip


def stalled(target: Target, drip: Drip) -> bool:
    """Whether a connection of such a client is still there long after."""
    connection = target.open()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    thread = threading.Thread(target=_until_closed, args=(drip, connection), daemon=True)
    thread.start()
    try:
        time.sleep(0.1)  # until the connection was accepted
        return not target.is_left_alone()
    finally:
        connection.close()


def _until_closed(drip: Drip, connection: socket.socket) -> None:
    with suppress(OSError):
        drip(connection)


@checker("service", "clients that stand still or never end are left", cases=50, sample=10)
def stalling_clients(trial: Trial) -> Iterator[str | None]:
    """Each kind of client, more of them than may be at once, and a server that is stopped."""
    with listening() as target:
        for case in range(trial.cases - 2):
            name = list(STALLING)[case % len(STALLING)]
            yield (
                f"a client that {name} holds the server"
                if stalled(target, STALLING[name])
                else None
            )
        crowd = [target.open() for _ in range(3 * Hasty.most)]
        yield None if target.lives_soon() else "a crowd holds the server"
        for connection in crowd:
            connection.close()
    with listening() as target:
        connection = target.open()
        connection.sendall(post("/score", b"", **{"Content-Length": "999"}))
    with connection:
        yield "a client holds a server that is stopped" if target.thread.is_alive() else None


# --- pages that ask in another's name

FOREIGN = ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:8765",
           "127.0.0.1@evil.example", "[::2]", "0.0.0.0", "", "127.0.0.1, evil.example", "\x00")  # fmt: skip


@checker("service", "foreign hosts, pages and tokens are refused", cases=120, sample=30)
def foreign_names(trial: Trial) -> Iterator[str | None]:
    """Hosts as after DNS rebinding, origins of other pages, and tokens that are nearly right."""
    random = trial.random
    with listening(Access(token=TOKEN)) as target:
        bearer = f"Bearer {TOKEN}"
        body = json.dumps({"pairs": [["a", "a"]]}).encode()
        if b"200 OK" not in target.ask(post("/score", body, Authorization=bearer)):
            yield "the right token is refused"
        for case in range(trial.cases):
            name = random.choice(FOREIGN)
            if case % 3 == 0:
                request = post("/score", body, name, Authorization=bearer)
            elif case % 3 == 1:
                origin = random.choice(
                    [f"http://{name}", f"https://{name}", name, "null", "file://"]
                )
                request = post("/score", body, Authorization=bearer, Origin=origin)
            else:
                cut = random.randrange(len(TOKEN))
                near = random.choice(
                    [TOKEN[:cut], TOKEN + "x", TOKEN.upper(), TOKEN[::-1], "", "ÿ"]
                )
                request = post("/score", body, Authorization=random.choice(["Bearer ", ""]) + near)
            answer = target.ask(request)
            yield f"{request!r} is answered" if b" 200 OK" in answer[:20] else None
