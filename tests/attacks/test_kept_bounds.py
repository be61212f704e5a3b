"""What once waited or grew without end: services, downloads, archives, lines, devices, Apertium."""

from __future__ import annotations

import gzip
import io
import socket
import struct
import subprocess
import tarfile
import threading
import time
import zipfile
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from semaniacs.embeddings.formats import lines
from semaniacs.sts.data import archives, fetch
from semaniacs.sts.data.table_blocks import read_blocks
from semaniacs.sts.errors import DataError, MissingResourceError
from semaniacs.sts.translation import apertium
from semaniacs.sts.translation.online import HttpProvider
from semaniacs.sts.translation.translator import BadAnswerError, TemporaryError

BEGIN = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


class Kept(HttpProvider):
    """A service at an address."""

    name, version, rate, longest, address = "kept", "1", 1000.0, 999, ""
    tries, largest_answer = 1, 1_000_000

    def request(self, texts: list[str], source: str, target: str) -> dict[str, Any]:
        """A POST."""
        return {"method": "POST", "url": self.address, "json": texts}

    def read(self, answer: Any) -> list[object]:
        """One text."""
        return [answer["found"]]


@contextmanager
def answering(begin: bytes, block: bytes, pause: float) -> Iterator[str]:
    """The address of a server that answers with a beginning, and then a block again and again."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(20)
        ended = threading.Event()

        def answer() -> None:
            with suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(begin)
                    while not ended.wait(pause):
                        connection.sendall(block)

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        finally:
            ended.set()
            thread.join()


def ask(address: str, seconds: float) -> None:
    """Have a text translated there."""
    pytest.importorskip("requests")
    provider = Kept()
    provider.address, provider.timeout = address, seconds
    list(provider.translate(["hola"], "es", "en"))


@pytest.mark.parametrize(("begin", "block"), [(BEGIN, b"X: y\r\n"), (BEGIN + b"\r\n", b" ")])
def test_a_server_that_sends_a_byte_now_and_then_is_left(begin: bytes, block: bytes) -> None:
    with answering(begin, block, 0.05) as address, pytest.raises(TemporaryError, match="in time"):
        ask(address, 0.3)


@pytest.mark.parametrize("coding", [b"", b"Content-Encoding: gzip\r\n"])
def test_an_answer_without_end_is_left(coding: bytes) -> None:
    body = gzip.compress(bytes(50_000_000)) if coding else bytes(100_000)
    with (
        answering(BEGIN + coding + b"\r\n", body, 0.0) as address,
        pytest.raises(BadAnswerError, match="larger than 1,000,000"),
    ):
        ask(address, 20)


def overlapping() -> bytes:
    """A zip whose directory names one member of a million bytes again and again."""
    made, times = io.BytesIO(), 300
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("zeros", bytes(1_000_000))
    data = made.getvalue()
    size, begin = struct.unpack("<II", data[-10:-2])
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, times, times, size * times, begin, 0)
    return data[:begin] + data[begin : begin + size] * times + end


def tarred() -> bytes:
    """A packed tar with a large member."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz", compresslevel=1) as packed:
        info = tarfile.TarInfo("zeros")
        info.size = archives.LARGEST_TOTAL + 1
        packed.addfile(info, io.BytesIO(bytes(info.size)))
    return made.getvalue()


@pytest.mark.parametrize("made", [overlapping, tarred])
def test_no_more_is_unpacked_than_the_limit(made: Callable[[], bytes]) -> None:
    with pytest.raises(DataError, match="not a whole zip or tar archive"):
        for content in archives.members(io.BytesIO(made()), "http://a/b", hint="try again"):
            assert len(content) == 1_000_000


class Endless:
    """A response without end."""

    length = None

    def read1(self, size: int) -> bytes:
        return bytes(size)


def test_a_download_ends() -> None:
    response: Any = Endless()
    with pytest.raises(MissingResourceError, match=r"more than 536,870,912 bytes"):
        deque(fetch._body(response, "http://a/b"), maxlen=0)


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.tsv.gz"
    path.write_bytes(gzip.compress(b"a\tb\n" + b" " * 70_000_000))
    with pytest.raises(DataError, match=r"bomb\.tsv\.gz:2: a line of more than 67,108,864 bytes"):
        list(read_blocks(str(path), "tsv"))
    with pytest.raises(DataError, match=r"/dev/full:1: a NUL byte"):
        list(lines.lines("/dev/full"))


def test_an_apertium_that_hangs_is_stopped_with_all_it_started() -> None:
    with pytest.raises(MissingResourceError, match="has not ended in 0 seconds and was stopped"):
        apertium.run(["bash", "-c", "sleep 61.25 & sleep 61.25"], timeout=0.3)
    give_up = time.monotonic() + 30  # the system takes its time to end what was killed
    while "sleep 61.25" in subprocess.check_output(["ps", "-eo", "args"], text=True):
        assert time.monotonic() < give_up
        time.sleep(0.05)
