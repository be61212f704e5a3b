"""A server in a process of its own, asked over loopback."""

from __future__ import annotations

import json
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection

import pytest
from click.testing import CliRunner

from semaniacs.cli import semaniacs
from semaniacs.runs.scorer import load
from semaniacs.sts.errors import StsError
from tests.runs.service.conftest import Running, running

JSON = {"Content-Type": "application/json"}
SECRET = "Zyzzyva knows the launch code."


@contextmanager
def connect(server: Running) -> Iterator[HTTPConnection]:
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=120)) as connection:
        yield connection


def send(connection: HTTPConnection, pairs: list[tuple[str, str]], model: str = "raw") -> None:
    connection.request("POST", "/score", json.dumps({"pairs": pairs, "model": model}), JSON)


def receive(connection: HTTPConnection) -> tuple[int, list[float]]:
    """The status and the scores."""
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read()).get("scores", [])


def test_many_clients_lose_nothing_and_nothing_is_written_of_them() -> None:
    clients, seconds = 64, 3.0
    pairs = [(f"{SECRET} {n}", f"It knows {n}.") for n in range(clients)]
    expected = load("raw").score(*zip(*pairs, strict=True)).tolist()
    with running("--model", "raw") as server:
        end = time.monotonic() + seconds

        def ask_on(client: int) -> int:
            answered = 0
            with connect(server) as connection:
                while time.monotonic() < end:
                    send(connection, [pairs[client]])
                    assert receive(connection) == (200, [expected[client]])
                    answered += 1
            return answered

        with ThreadPoolExecutor(clients) as pool:
            answered = list(pool.map(ask_on, range(clients)))
        assert min(answered) > 0
        server.process.send_signal(signal.SIGTERM)
        code, out, err = server.ended()
    assert (code, out, err) == (0, "", "")


def test_a_signal_lets_running_requests_finish() -> None:
    pairs = [(f"A dog runs {n} miles in the park.", f"It ran {n % 7} miles.") for n in range(250)]
    with running("--model", "fusion") as server, ExitStack() as stack:
        connections = [stack.enter_context(connect(server)) for _ in range(4)]
        for connection in connections:
            send(connection, pairs, "fusion")
        with connect(server) as later:  # once this is answered, the others have been read
            later.request("GET", "/health")
            assert later.getresponse().status == 200
        server.process.send_signal(signal.SIGINT)
        found = [receive(connection) for connection in connections]
        code, _, err = server.ended()
        assert (code, err) == (0, "")
        with connect(server) as late, pytest.raises(ConnectionRefusedError):
            late.connect()
    assert [(status, len(scores)) for status, scores in found] == [(200, 250)] * 4


# Before it listens


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StsError, match=rf"cannot listen on 127\.0\.0\.1 port {port}"):
            CliRunner().invoke(semaniacs, ["serve", "--port", str(port)], catch_exceptions=False)
