"""Downloading archives from a server on this machine."""

from __future__ import annotations

import io
import socket
import stat
import struct
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

import pytest

from semaniacs.sts.data import archives, fetch
from semaniacs.sts.errors import DataError, MissingResourceError, StsError
from semaniacs.sts.files import sha256_of
from semaniacs.sts.offline import OFFLINE
from tests.sts.data.toy_files import (
    GOLD,
    GOLD_PATH,
    INPUT,
    INPUT_PATH,
    data_file,
    everything_below,
    toy,
    write,
)

pytestmark = pytest.mark.usefixtures("cache")


@dataclass
class Site:
    """A server on this machine; ``pages`` maps a path to status, body and announced length."""

    address: str = ""
    pages: dict[str, tuple[int, bytes, int | None]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)

    def serve(self, name: str, body: bytes, *, status: int = 200, extra: int | None = 0) -> str:
        """The address of ``body``; ``extra`` bytes are announced and never sent."""
        length = None if extra is None else len(body) + extra
        self.pages[f"/{name}"] = (status, body, length)
        return f"{self.address}/{name}"


@pytest.fixture
def site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.requests.append(self.path)
            status, body, length = site.pages.get(self.path, (404, b"no such page", None))
            self.send_response(status)
            if length is not None:
                self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield site
        server.shutdown()
        thread.join()


def zipped(members: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


TarMode = Literal["w", "w:gz", "w:bz2", "w:xz"]
Packer = Callable[[Mapping[str, bytes]], bytes]


def tarred(members: Mapping[str, bytes | tarfile.TarInfo], mode: TarMode = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, content in members.items():
            if isinstance(content, tarfile.TarInfo):
                archive.addfile(content)
            else:
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def link(name: str, target: str, kind: bytes) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


EVIL_NAMES = ("../evil.txt", "/evil.txt", "a/../../evil.txt", "..\\evil.txt", "2016")
GOOD = {"readme.txt": b"hello", "test-gs/STS.input.txt": INPUT, "test-gs/STS.gs.txt": GOLD}
ARCHIVE_KINDS = {
    "zip": zipped(GOOD),
    "tar": tarred(GOOD, "w"),
    "tar.gz": tarred(GOOD, "w:gz"),
    "zip with CRLF": zipped({n: c.replace(b"\n", b"\r\n") for n, c in GOOD.items()}),
}


@pytest.mark.parametrize("body", ARCHIVE_KINDS.values(), ids=ARCHIVE_KINDS)
@pytest.mark.parametrize("extra", [0, None], ids=["length announced", "length unknown"])
def test_members_are_found_by_content_under_any_name(
    site: Site, cache: Path, body: bytes, extra: int | None
) -> None:
    dataset = toy(site.serve("toy.bin", body, extra=extra))
    fetch.download(str(dataset.input.archive), [dataset.input], cache, welcome=[dataset.gold])
    assert everything_below(cache) == {INPUT_PATH, GOLD_PATH}
    assert sha256_of(cache / INPUT_PATH) == dataset.input.sha256
    assert sha256_of(cache / GOLD_PATH) == dataset.gold.sha256
    assert len(fetch.load(dataset, None)) == 3
    assert site.requests == ["/toy.bin"], "the archive is fetched once for all its files"


def test_a_file_with_crlf_of_its_own_is_kept_as_it_is(site: Site, tmp_path: Path) -> None:
    released = INPUT.replace(b"\n", b"\r\n")
    file = data_file(INPUT_PATH, released)
    fetch.download(site.serve("a.zip", zipped({"x": released})), [file], tmp_path / "to")
    assert (tmp_path / "to" / INPUT_PATH).read_bytes() == released


def test_nothing_is_asked_for_offline_or_beside_an_own_copy(
    site: Site, cache: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = toy(site.serve("toy.zip", b"never asked for"))
    assert len(fetch.load(dataset, data)) == 3
    monkeypatch.setenv(OFFLINE, "1")
    with pytest.raises(MissingResourceError, match="SEMANIACS_OFFLINE=1 forbids.*pass --data DIR"):
        fetch.ensure(dataset.input, None)
    assert site.requests == [] and not cache.exists()


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_evil_names_have_no_say_in_where_a_file_lands(
    site: Site, tmp_path: Path, pack: Packer
) -> None:
    members = dict.fromkeys(EVIL_NAMES, b"evil") | {"../../good": INPUT}
    target = tmp_path / "deep" / "er"
    fetch.download(site.serve("evil", pack(members)), [toy().input], target)
    assert everything_below(tmp_path) == {f"deep/er/{INPUT_PATH}"}


def test_links_and_devices_of_a_tar_are_passed_over(site: Site, tmp_path: Path) -> None:
    secret = write(tmp_path, "secret.txt", INPUT)
    members: dict[str, bytes | tarfile.TarInfo] = {
        "2016": link("2016", str(tmp_path), tarfile.SYMTYPE),
        "soft": link("soft", str(secret), tarfile.SYMTYPE),
        "hard": link("hard", str(secret), tarfile.LNKTYPE),
        "pipe": link("pipe", "", tarfile.FIFOTYPE),
        "null": link("null", "", tarfile.CHRTYPE),
        "folder": link("folder", "", tarfile.DIRTYPE),
    }
    url = site.serve("links.tar", tarred(members))
    with pytest.raises(DataError, match=r"links\.tar: no file in it has the sha256"):
        fetch.download(url, [toy().input], tmp_path / "to")
    assert everything_below(tmp_path) == {"secret.txt"}
    url = site.serve("both.tar", tarred({**members, "good": INPUT}))
    fetch.download(url, [toy().input], tmp_path / "to")
    assert everything_below(tmp_path) == {"secret.txt", f"to/{INPUT_PATH}"}


def test_links_and_large_members_of_a_zip_are_passed_over(site: Site, tmp_path: Path) -> None:
    info = zipfile.ZipInfo("2016")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(info, "/tmp")
        archive.writestr("large", bytes(archives.LARGEST_MEMBER + 1))
        archive.writestr("good", INPUT)
    fetch.download(site.serve("l.zip", buffer.getvalue()), [toy().input], tmp_path / "to")
    assert everything_below(tmp_path) == {f"to/{INPUT_PATH}"}
    assert not (tmp_path / "to" / "2016").is_symlink()


def overwritten(body: bytes, place: int, with_: bytes) -> bytes:
    return body[:place] + with_ + body[place + len(with_) :]


# Too large to be decompressed in one go when the archive is opened.
LARGE_XZ = tarred({"squares": b" ".join(b"%d" % (i * i) for i in range(40_000)), **GOOD}, "w:xz")
# Where the compressed bytes of the zip's second member begin.
INPUT_DATA = ARCHIVE_KINDS["zip"].index(b"STS.input.txt") + len(b"STS.input.txt")
ENCRYPTED = ARCHIVE_KINDS["zip"].replace(  # bit 0 of the flags, in the central directory
    b"PK\x01\x02" + struct.pack("<HHH", 0x0314, 20, 0),
    b"PK\x01\x02" + struct.pack("<HHH", 0x0314, 20, 1),
)
DAMAGED = {
    "half a zip": ARCHIVE_KINDS["zip"][:-40],
    "a zip with other bytes inside": overwritten(ARCHIVE_KINDS["zip"], INPUT_DATA + 9, bytes(9)),
    "a tar.xz with other bytes inside": overwritten(LARGE_XZ, len(LARGE_XZ) // 2, bytes(99)),
    "an encrypted zip": ENCRYPTED,
    "a web page": b"<html>Not here any more</html>",
}


@pytest.mark.parametrize("body", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_archive_is_named_and_leaves_nothing(
    site: Site, cache: Path, body: bytes
) -> None:
    dataset = toy(site.serve("toy.zip", body))
    with pytest.raises(DataError, match=r"toy\.zip: not a whole zip or tar archive .*--data DIR"):
        fetch.ensure(dataset.gold, None)
    assert everything_below(cache) == set()


def test_a_download_that_is_cut_short(site: Site, cache: Path) -> None:
    dataset = toy(site.serve("toy.zip", ARCHIVE_KINDS["zip"], extra=100))
    with pytest.raises(DataError, match=r"toy\.zip: the download was cut short.*try again"):
        fetch.ensure(dataset.input, None)
    assert everything_below(cache) == set()


@pytest.mark.parametrize("status", [404, 503])
def test_a_server_that_refuses(site: Site, cache: Path, status: int) -> None:
    url = site.serve("toy.zip", b"sorry", status=status)
    with pytest.raises(MissingResourceError) as caught:
        fetch.ensure(toy(url).input, None)
    message = str(caught.value)
    for part in (INPUT_PATH, str(cache), url, f"HTTP status {status}", "--data DIR", "STS_DATA"):
        assert part in message
    assert everything_below(cache) == set()


SILENT, BROKEN = r"no answer in 0\.2 seconds", "the connection broke"


@pytest.mark.parametrize(
    ("answer", "hangs_up", "error", "message"),
    [
        (b"", False, MissingResourceError, SILENT),
        (b"", True, MissingResourceError, BROKEN),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nPK", False, MissingResourceError, SILENT),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nPK", True, DataError,
         "cut short"),
    ],
)  # fmt: skip
def test_a_server_that_falls_silent_or_hangs_up(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: bytes,
    hangs_up: bool,
    error: type[StsError],
    message: str,
) -> None:
    monkeypatch.setattr(fetch, "TIMEOUT", 0.2 if not hangs_up else 30.0)
    ended = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            connection = listener.accept()[0]
            with connection:
                connection.recv(4096)
                connection.sendall(answer)
                hangs_up or ended.wait(20)

        thread = threading.Thread(target=accept)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/toy.zip"
        with pytest.raises(error, match=message):
            fetch.download(url, [toy().input], tmp_path / "to")
        ended.set()
        thread.join()
    assert everything_below(tmp_path) == set()


def test_a_server_that_is_not_there(cache: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/toy.zip"
    with pytest.raises(MissingResourceError, match=r"toy\.zip: cannot be fetched: .*refused"):
        fetch.ensure(toy(url).input, None)
    assert everything_below(cache) == set()


def test_a_cache_that_cannot_be_made(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STS_CACHE", str(write(tmp_path, "a-file", b"")))
    with pytest.raises(StsError, match=r"a-file.*cannot be written .*set STS_CACHE"):
        fetch.ensure(toy(site.serve("toy.zip", ARCHIVE_KINDS["zip"])).input, None)
    assert site.requests == [], "nothing is downloaded that cannot be stored"
