"""Finding, downloading and checking data; the server is real and local, the data made up."""

from __future__ import annotations

import io
import socket
import stat
import struct
import tarfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from sts.data import archives, fetch
from sts.data.catalog import TASKS, get_task
from sts.data.schema import DataFile, DataSet
from sts.errors import DataError, MissingResourceError, StsError
from sts.files import sha256_of, sha256_of_bytes

INPUT = "A cat sits.\tA cat is sitting.\nDogs bark.\tIt rains.\nHe “ran”.\tHe ran.\n".encode()
GOLD = b"4.8\n\n4\n"
INPUT_PATH, GOLD_PATH = "2016/STS.input.toy.txt", "2016/STS.gs.toy.txt"


def data_file(path: str, content: bytes, archive: str | None = None) -> DataFile:
    return DataFile(path, content.count(b"\n"), sha256_of_bytes(content), archive)


def toy(archive: str | None = None) -> DataSet:
    return DataSet(
        "toy",
        2016,
        data_file(INPUT_PATH, INPUT, archive),
        data_file(GOLD_PATH, GOLD, archive),
        scored=2,
    )


def write(root: Path, path: str, content: bytes) -> Path:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(content)
    return root / path


def everything_below(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if not p.is_dir()}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees the person's own data, cache or proxy."""
    monkeypatch.delenv("STS_DATA", raising=False)
    monkeypatch.setenv("STS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    return tmp_path / "cache" / "data"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with good copies of both toy files."""
    write(tmp_path / "mine", INPUT_PATH, INPUT)
    write(tmp_path / "mine", GOLD_PATH, GOLD)
    return tmp_path / "mine"


# --- where to look


def test_without_a_folder_only_the_cache_is_looked_in(cache: Path) -> None:
    assert fetch.data_roots(None) == [cache]


def test_the_given_folder_comes_before_the_environment_and_replaces_it(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given, environment = tmp_path / "given", tmp_path / "environment"
    given.mkdir()
    environment.mkdir()
    monkeypatch.setenv("STS_DATA", str(environment))
    assert fetch.data_roots(None) == [environment, environment / "sts", cache]
    assert fetch.data_roots(given) == [given, given / "sts", cache]


def test_a_named_folder_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"--data .*absent: not a folder; expected .*2012"):
        fetch.locate(toy().input, tmp_path / "absent")
    monkeypatch.setenv("STS_DATA", str(write(tmp_path, "a-file", b"")))
    with pytest.raises(DataError, match=r"STS_DATA .*a-file: not a folder"):
        fetch.locate(toy().input, None)


def test_a_copy_is_found_in_the_folder_or_under_sts_or_in_the_cache(
    tmp_path: Path, cache: Path, data: Path
) -> None:
    file = toy().input
    empty = tmp_path / "empty"
    empty.mkdir()
    assert fetch.locate(file, empty) is None
    assert fetch.locate(file, data) == data / INPUT_PATH
    below = write(empty, f"sts/{INPUT_PATH}", INPUT)
    assert fetch.locate(file, empty) == below
    cached = write(cache, INPUT_PATH, INPUT)
    assert fetch.locate(file, None) == cached
    assert fetch.locate(file, data) == data / INPUT_PATH


def test_a_packaged_file_is_found_whatever_the_folder() -> None:
    file = TASKS["sample"].datasets[0].input
    found = fetch.locate(file, None)
    assert found == Path(fetch.__file__).parent / file.path


def test_a_packaged_file_that_is_gone_asks_for_a_new_installation() -> None:
    file = DataFile("sample/gone.txt", 40, "", archive=None, packaged=True)
    with pytest.raises(MissingResourceError, match=r"gone\.txt: not found.*install it again"):
        fetch.ensure(file, None)


def test_a_file_without_address_says_where_a_copy_is_to_be(data: Path, cache: Path) -> None:
    file = data_file("2016-es-en/toy.txt", INPUT)
    with pytest.raises(MissingResourceError) as caught:
        fetch.ensure(file, data)
    for part in (str(data), str(cache), "--data DIR", "STS_DATA=DIR", "DIR/2016-es-en/toy.txt"):
        assert part in str(caught.value)


# --- reading


def test_load(data: Path) -> None:
    pairs = fetch.load(toy(), data)
    assert pairs.name == "toy"
    assert pairs.left == ("A cat sits.", "Dogs bark.", "He “ran”.")
    assert pairs.right == ("A cat is sitting.", "It rains.", "He ran.")
    np.testing.assert_array_equal(pairs.gold, [4.8, np.nan, 4.0])


@pytest.mark.parametrize("gold", [None, b"\xff not gold\n"], ids=["absent", "unreadable"])
def test_without_gold_the_gold_file_is_not_opened(data: Path, gold: bytes | None) -> None:
    (data / GOLD_PATH).unlink()
    if gold is not None:
        write(data, GOLD_PATH, gold)
    pairs = fetch.load(toy(), data, with_gold=False)
    assert len(pairs) == 3
    assert np.isnan(pairs.gold).all()
    with pytest.raises(StsError, match=r"STS\.gs\.toy\.txt"):
        fetch.load(toy(), data)


def test_load_gold_is_for_as_many_rows_as_were_asked_for(data: Path) -> None:
    np.testing.assert_array_equal(fetch.load_gold(toy(), data, 3), [4.8, np.nan, 4.0])
    with pytest.raises(DataError, match=r"gs\.toy\.txt:3: 3 gold lines for 2 rows"):
        fetch.load_gold(toy(), data, 2)
    with pytest.raises(DataError, match=r"gs\.toy\.txt:4: 3 gold lines for 5 rows"):
        fetch.load_gold(toy(), data, 5)


LINES = INPUT.splitlines(keepends=True)
MALFORMED = {
    "cut between lines": (
        INPUT_PATH,
        LINES[0] + LINES[1],
        r"input\.toy\.txt:3: the file holds 2 lines, expected 3; it is truncated",
    ),
    "cut inside a line": (
        INPUT_PATH,
        LINES[0] + b"Dogs ba",
        r"input\.toy\.txt:2: 1 column, expected",
    ),
    "cut inside a character": (
        INPUT_PATH,
        INPUT[: INPUT.index("“".encode()) + 1],
        r"input\.toy\.txt:3: byte 0xe2 is not UTF-8",
    ),
    "one column": (
        INPUT_PATH,
        LINES[0] + b"Dogs bark.\n" + LINES[2],
        r"input\.toy\.txt:2: 1 column, expected 2 or 4 separated by tabs: 'Dogs bark\.'",
    ),
    "not UTF-8": (
        INPUT_PATH,
        LINES[0] + "Él\tHe\n".encode("latin1") + LINES[2],
        r"input\.toy\.txt:2: byte 0xc9 is not UTF-8",
    ),
    "empty": (INPUT_PATH, b"", r"input\.toy\.txt: the file is empty"),
    "a line more": (INPUT_PATH, INPUT + LINES[0], r"input\.toy\.txt:4: .* 4 lines, expected 3"),
    "a changed byte": (
        INPUT_PATH,
        INPUT.replace(b"rains", b"Rains"),
        rf"input\.toy\.txt: sha256 [0-9a-f]{{64}}, expected {sha256_of_bytes(INPUT)}; "
        "this copy was changed.*--pairs",
    ),
    "CRLF": (INPUT_PATH, INPUT.replace(b"\n", b"\r\n"), r"its lines end in CRLF; .*sed"),
    "gold cut": (GOLD_PATH, b"4.8\n\n", r"gs\.toy\.txt:3: the file holds 2 lines, expected 3"),
    "gold not a number": (GOLD_PATH, b"4.8\n\nfour\n", r"gs\.toy\.txt:3: gold 'four', expected"),
    "gold too high": (GOLD_PATH, b"4.8\n\n5.5\n", r"gs\.toy\.txt:3: gold '5\.5', expected"),
    "gold changed": (GOLD_PATH, b"4.8\n\n5\n", r"gs\.toy\.txt: sha256 .*this copy was changed"),
}


@pytest.mark.parametrize(("path", "content", "message"), MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_copy_is_refused_at_the_right_place(
    data: Path, path: str, content: bytes, message: str
) -> None:
    write(data, path, content)
    with pytest.raises(DataError, match=message):
        fetch.load(toy(), data)


def test_a_changed_copy_of_a_real_file_is_refused(sts_data: Path, tmp_path: Path) -> None:
    """One digit of one official gold score."""
    dataset = TASKS["sts2016"].datasets[1]
    raw = (sts_data / dataset.gold.path).read_bytes()
    place = next(i for i, byte in enumerate(raw) if byte in b"1234")
    changed = raw[:place] + b"0" + raw[place + 1 :]
    write(tmp_path, dataset.input.path, (sts_data / dataset.input.path).read_bytes())
    write(tmp_path, dataset.gold.path, raw)
    assert fetch.load(dataset, tmp_path).scored.sum() == 249
    write(tmp_path, dataset.gold.path, changed)
    with pytest.raises(DataError, match=r"gs\.headlines\.txt: sha256 .* this copy was changed"):
        fetch.load(dataset, tmp_path)


# --- downloading


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
def catalogue(monkeypatch: pytest.MonkeyPatch) -> list[DataFile]:
    """The catalogue that :func:`fetch.ensure` sees; empty at first."""
    files: list[DataFile] = []
    monkeypatch.setattr(fetch, "all_files", lambda: tuple(files))
    return files


@pytest.mark.parametrize("body", ARCHIVE_KINDS.values(), ids=ARCHIVE_KINDS)
@pytest.mark.parametrize("extra", [0, None], ids=["length announced", "length unknown"])
def test_members_are_found_by_content_under_any_name(
    site: Site, cache: Path, catalogue: list[DataFile], body: bytes, extra: int | None
) -> None:
    dataset = toy(site.serve("toy.bin", body, extra=extra))
    catalogue += [dataset.input, dataset.gold]
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
    site: Site, cache: Path, catalogue: list[DataFile], body: bytes
) -> None:
    assert body not in ARCHIVE_KINDS.values()
    dataset = toy(site.serve("toy.zip", body))
    with pytest.raises(DataError, match=r"toy\.zip: not a whole zip or tar archive .*--data DIR"):
        fetch.ensure(dataset.gold, None)
    assert GOLD_PATH not in everything_below(cache)
    assert everything_below(cache) <= {INPUT_PATH}, "no temporary file stays"


def test_a_download_that_is_cut_short(site: Site, cache: Path, catalogue: list[DataFile]) -> None:
    body = ARCHIVE_KINDS["zip"]
    dataset = toy(site.serve("toy.zip", body, extra=100))
    with pytest.raises(DataError, match=r"toy\.zip: the download was cut short.*try again"):
        fetch.ensure(dataset.input, None)
    assert everything_below(cache) == set()


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_a_server_that_refuses(
    site: Site, cache: Path, catalogue: list[DataFile], status: int
) -> None:
    url = site.serve("toy.zip", b"sorry", status=status)
    with pytest.raises(MissingResourceError) as caught:
        fetch.ensure(toy(url).input, None)
    message = str(caught.value)
    for part in (INPUT_PATH, str(cache), url, f"HTTP status {status}", "--data DIR", "STS_DATA"):
        assert part in message
    assert everything_below(cache) == set()


def test_another_archive_under_the_address(
    site: Site, cache: Path, catalogue: list[DataFile]
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


def test_a_server_that_is_not_there(cache: Path, catalogue: list[DataFile]) -> None:
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
        start = time.monotonic()
        with pytest.raises(MissingResourceError, match=r"no answer in 0\.2 seconds"):
            fetch.download(url, [toy().input], tmp_path / "to")
        assert time.monotonic() - start < 2.5
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
    site: Site, tmp_path: Path, catalogue: list[DataFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STS_CACHE", str(write(tmp_path, "a-file", b"")))
    with pytest.raises(StsError, match=r"a-file.*cannot be written .*set STS_CACHE"):
        fetch.ensure(toy(site.serve("toy.zip", ARCHIVE_KINDS["zip"])).input, None)
    assert site.requests == [], "nothing is downloaded that cannot be kept"


def test_a_real_archive_layout(
    site: Site, sts_data: Path, cache: Path, catalogue: list[DataFile]
) -> None:
    """The real files of 2013 under the names that the official archive gives them."""
    task = TASKS["sts2013"]
    members = {
        f"test-gs/{Path(file.path).name.replace('2013.test.', '')}": (
            sts_data / file.path
        ).read_bytes()
        for dataset in task.datasets
        for file in (dataset.input, dataset.gold)
    }
    url = site.serve("STS2013-en-test.zip", zipped(members))
    datasets = [
        replace(d, input=replace(d.input, archive=url), gold=replace(d.gold, archive=url))
        for d in task.datasets
    ]
    catalogue += [file for d in datasets for file in (d.input, d.gold)]
    assert [int(fetch.load(d, None).scored.sum()) for d in datasets] == [189, 561, 750]
    assert len(everything_below(cache)) == 6
    assert len(site.requests) == 1


# --- files that no copy was seen of


def test_a_file_without_a_known_hash_is_held_to_its_rows(tmp_path: Path) -> None:
    (track,) = get_task("sts2017").datasets
    (tmp_path / "2017").mkdir()
    lines = [f"sentence {i}\tsentence {i + 1}" for i in range(250)]
    (tmp_path / track.input.path).write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / track.gold.path).write_text("2.5\n" * 250, encoding="utf-8")
    pairs = fetch.load(track, tmp_path)
    assert (len(pairs), pairs.left[0], pairs.gold[-1]) == (250, "sentence 0", 2.5)
    (tmp_path / track.gold.path).write_text("2.5\n" * 249, encoding="utf-8")
    with pytest.raises(DataError, match="250"):
        fetch.load(track, tmp_path)


def test_where_such_a_file_is_to_be_had_is_said(tmp_path: Path) -> None:
    (track,) = get_task("sts2017-es").datasets
    with pytest.raises(MissingResourceError, match=r"sts2017\.eval\.v1\.1\.zip.*--data DIR"):
        fetch.load(track, tmp_path)
