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

from sts.data import archives, fetch
from sts.data.schema import DataSet
from sts.errors import DataError, MissingResourceError, StsError
from sts.files import sha256_of
from sts.offline import OFFLINE
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


GOOD = {"readme.txt": b"hello", "test-gs/STS.input.txt": INPUT, "test-gs/STS.gs.txt": GOLD}
ARCHIVE_KINDS = {
    "zip": zipped(GOOD),
    "tar": tarred(GOOD, "w"),
    "tar.gz": tarred(GOOD, "w:gz"),
    "tar.bz2": tarred(GOOD, "w:bz2"),
    "tar.xz": tarred(GOOD, "w:xz"),
    "zip with CRLF": zipped({n: c.replace(b"\n", b"\r\n") for n, c in GOOD.items()}),
}


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> list[DataSet]:
    """The catalogue that :func:`fetch.ensure` sees; empty at first."""
    datasets: list[DataSet] = []
    monkeypatch.setattr(fetch, "all_data_sets", lambda: datasets)
    return datasets


@pytest.mark.parametrize("body", ARCHIVE_KINDS.values(), ids=ARCHIVE_KINDS)
@pytest.mark.parametrize("extra", [0, None], ids=["length announced", "length unknown"])
def test_members_are_found_by_content_under_any_name(
    site: Site, cache: Path, catalogue: list[DataSet], body: bytes, extra: int | None
) -> None:
    dataset = toy(site.serve("toy.bin", body, extra=extra))
    catalogue.append(dataset)
    pairs = fetch.load(dataset, None)
    assert len(pairs) == 3
    assert everything_below(cache) == {INPUT_PATH, GOLD_PATH}
    assert sha256_of(cache / INPUT_PATH) == dataset.input.sha256
    assert sha256_of(cache / GOLD_PATH) == dataset.gold.sha256
    assert site.requests == ["/toy.bin"], "the archive is fetched once for all its files"
    fetch.load(dataset, None)
    assert len(site.requests) == 1, "and not again"


def test_a_file_with_crlf_of_its_own_is_kept_as_it_is(site: Site, tmp_path: Path) -> None:
    released = INPUT.replace(b"\n", b"\r\n")
    file = data_file(INPUT_PATH, released)
    fetch.download(site.serve("a.zip", zipped({"x": released})), [file], tmp_path / "to")
    assert (tmp_path / "to" / INPUT_PATH).read_bytes() == released


def test_the_copy_of_the_person_is_used_without_the_network(site: Site, data: Path) -> None:
    assert len(fetch.load(toy(site.serve("toy.zip", b"never asked for")), data)) == 3
    assert site.requests == []


def test_offline_the_copy_is_asked_for(
    site: Site, cache: Path, catalogue: list[DataSet], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OFFLINE, "1")
    with pytest.raises(MissingResourceError, match="SEMANIACS_OFFLINE=1 forbids.*pass --data DIR"):
        fetch.ensure(toy(site.serve("toy.zip", b"never asked for")).input, None)
    assert site.requests == [] and not cache.exists()


EVIL_NAMES = ("../evil.txt", "/evil.txt", "a/../../evil.txt", "..\\evil.txt", "2016")


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


def test_a_link_in_a_zip_becomes_no_link(site: Site, tmp_path: Path) -> None:
    info = zipfile.ZipInfo("2016")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(info, "/tmp")
        archive.writestr("good", INPUT)
    fetch.download(site.serve("l.zip", buffer.getvalue()), [toy().input], tmp_path / "to")
    assert everything_below(tmp_path) == {f"to/{INPUT_PATH}"}
    assert not (tmp_path / "to" / "2016").is_symlink()


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_member_that_is_too_large_is_not_read(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Packer
) -> None:
    url = site.serve("large", pack({"x": INPUT}))
    monkeypatch.setattr(archives, "LARGEST_MEMBER", len(INPUT) - 1)
    with pytest.raises(DataError, match="no file in it"):
        fetch.download(url, [toy().input], tmp_path)
    monkeypatch.setattr(archives, "LARGEST_MEMBER", len(INPUT))
    fetch.download(url, [toy().input], tmp_path)
    assert (tmp_path / INPUT_PATH).read_bytes() == INPUT


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
    "half a tar": ARCHIVE_KINDS["tar"][:700],
    "half a tar.gz": ARCHIVE_KINDS["tar.gz"][:-40],
    "half a tar.xz": ARCHIVE_KINDS["tar.xz"][: len(ARCHIVE_KINDS["tar.xz"]) // 2],
    "a zip with other bytes inside": overwritten(ARCHIVE_KINDS["zip"], INPUT_DATA + 9, bytes(9)),
    "a zip with an impossible block": overwritten(ARCHIVE_KINDS["zip"], INPUT_DATA, b"\xff"),
    "a tar.xz with other bytes inside": overwritten(LARGE_XZ, len(LARGE_XZ) // 2, bytes(99)),
    "an encrypted zip": ENCRYPTED,
    "a web page": b"<html>Not here any more</html>",
    "nothing": b"",
}


@pytest.mark.parametrize("body", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_archive_is_named_and_leaves_nothing(
    site: Site, cache: Path, catalogue: list[DataSet], body: bytes
) -> None:
    assert body not in ARCHIVE_KINDS.values()
    dataset = toy(site.serve("toy.zip", body))
    with pytest.raises(DataError, match=r"toy\.zip: not a whole zip or tar archive .*--data DIR"):
        fetch.ensure(dataset.gold, None)
    assert GOLD_PATH not in everything_below(cache)
    assert everything_below(cache) <= {INPUT_PATH}, "no temporary file stays"


def test_a_download_that_is_cut_short(site: Site, cache: Path, catalogue: list[DataSet]) -> None:
    body = ARCHIVE_KINDS["zip"]
    dataset = toy(site.serve("toy.zip", body, extra=100))
    with pytest.raises(DataError, match=r"toy\.zip: the download was cut short.*try again"):
        fetch.ensure(dataset.input, None)
    assert everything_below(cache) == set()


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_a_server_that_refuses(
    site: Site, cache: Path, catalogue: list[DataSet], status: int
) -> None:
    url = site.serve("toy.zip", b"sorry", status=status)
    with pytest.raises(MissingResourceError) as caught:
        fetch.ensure(toy(url).input, None)
    message = str(caught.value)
    for part in (INPUT_PATH, str(cache), url, f"HTTP status {status}", "--data DIR", "STS_DATA"):
        assert part in message
    assert everything_below(cache) == set()


def test_another_archive_under_the_address(
    site: Site, cache: Path, catalogue: list[DataSet]
) -> None:
    dataset = toy(site.serve("toy.zip", zipped({INPUT_PATH: INPUT + b"x\ty\n"})))
    with pytest.raises(DataError) as caught:
        fetch.ensure(dataset.input, None)
    for part in ("/toy.zip", dataset.input.sha256, INPUT_PATH, "--data DIR"):
        assert part in str(caught.value)
    assert everything_below(cache) == set()


def test_a_welcome_file_may_be_absent_and_a_wanted_one_may_not(site: Site, tmp_path: Path) -> None:
    url = site.serve("input-only.zip", zipped({"x": INPUT}))
    dataset = toy()
    fetch.download(url, [dataset.input], tmp_path, welcome=[dataset.gold])
    assert everything_below(tmp_path) == {INPUT_PATH}
    with pytest.raises(DataError, match=dataset.gold.sha256):
        fetch.download(url, [dataset.input, dataset.gold], tmp_path)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def test_a_server_that_is_not_there(cache: Path, catalogue: list[DataSet]) -> None:
    url = f"http://127.0.0.1:{free_port()}/toy.zip"
    with pytest.raises(MissingResourceError, match=r"toy\.zip: cannot be fetched: .*refused"):
        fetch.ensure(toy(url).input, None)
    assert everything_below(cache) == set()


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nPK"])
def test_a_server_that_falls_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    monkeypatch.setattr(fetch, "TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        connections = []

        def accept() -> None:
            connections.append(listener.accept()[0])
            connections[0].sendall(answer)

        thread = threading.Thread(target=accept)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/toy.zip"
        with pytest.raises(MissingResourceError, match=r"no answer in 0\.2 seconds"):
            fetch.download(url, [toy().input], tmp_path / "to")
        thread.join()
        connections[0].close()
    assert everything_below(tmp_path) == set()


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (b"", MissingResourceError, "the connection broke"),
        (b"SMTP ready\r\n", MissingResourceError, "the connection broke"),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nPK",
            DataError,
            "cut short",
        ),
    ],
    ids=["hangs up", "speaks something else", "stops inside a chunk"],
)
def test_a_server_that_hangs_up(
    tmp_path: Path, answer: bytes, error: type[StsError], message: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            connection = listener.accept()[0]
            with connection:
                connection.recv(4096)
                connection.sendall(answer)

        thread = threading.Thread(target=accept)
        thread.start()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/toy.zip"
        with pytest.raises(error, match=message):
            fetch.download(url, [toy().input], tmp_path / "to")
        thread.join()
    assert everything_below(tmp_path) == set()


def test_a_cache_that_cannot_be_made(
    site: Site, tmp_path: Path, catalogue: list[DataSet], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STS_CACHE", str(write(tmp_path, "a-file", b"")))
    with pytest.raises(StsError, match=r"a-file.*cannot be written .*set STS_CACHE"):
        fetch.ensure(toy(site.serve("toy.zip", ARCHIVE_KINDS["zip"])).input, None)
    assert site.requests == [], "nothing is downloaded that cannot be kept"
