"""Changed bytes as input: the right answer or one line of error, in bounded time and memory."""

from __future__ import annotations

import gc
import gzip
import io
import logging
import resource
import signal
import tarfile
import tempfile
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder, SentenceEncoder
from semaniacs.embeddings.formats.lines import lines
from semaniacs.embeddings.formats.numpy_file import open_rows, write_rows
from semaniacs.embeddings.formats.word2vec import write_word2vec
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.features.regressors.saved_ensemble import load_ensemble, save_ensemble
from semaniacs.sts.data.archives import members
from semaniacs.sts.data.readers import read_pairs
from semaniacs.sts.data.table_blocks import read_blocks
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import visible
from semaniacs.sts.translation.memory import TranslationMemory
from tests.attacks.test_kept import ENTRY, ensemble, trees

TOKENS = (
    b"", b"\0", b"\n", b"\r\n", b"\t", b'"', b"\\", b",", b";", b"{", b"}", b"[", b"]", b"<", b"&", b"null",
    b"NaN", b"-Infinity", b"1e999", b"-1", b"99", b"9" * 400, b"9" * 5000, b"2147483648", b"18446744073709551616",
    b"[" * 2000, b'{"a":' * 2000, b"<a>" * 200, b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800",
    b"\xc2\x9b2J", b"\x1b]0;x\x07", b"\xe2\x80\xa8", b"__metadata__", b"dtype", b"F64", b"I64", b"shape",
    b"../../etc/passwd", b"/dev/zero", b"\x1f\x8b", b"PK\3\4", b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80",
)  # fmt: skip
CHANGE = st.tuples(
    st.floats(0, 1),
    st.sampled_from((0, 0, 1, 4, 64, 10**6)),
    st.sampled_from(TOKENS) | st.binary(max_size=3),
)
CHANGES = st.lists(CHANGE, min_size=1, max_size=4)
TEXT = (
    "A dog runs.\tA dog is running.\nLos niños “cantan”.\tThey sing.\nnaïve 日本 😀\t\u200bstocks\n"
)
WORDS = ["the cat", "naïve слово", "", "unheard-of \U0001f600"]
SECONDS, MEMORY, LONGEST = 5.0, 2 * 2**30, 1500


def changed(raw: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
    """Bytes after some changes, more of them near the beginning, where headers are."""
    for share, cut, new in changes:
        place = int(share**2 * len(raw))
        raw = raw[:place] + new + raw[place + cut :]
    return raw


class TooLongError(BaseException):
    """A case took longer than ``SECONDS`` of the processor."""


@contextmanager
def bounded() -> Iterator[None]:
    """Limit the time and the memory of the work inside."""

    def stop(*_: object) -> None:
        raise TooLongError

    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, before[1]))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


# A refused read leaves its file to the garbage collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Let no library log each bad line, and no open file reach the next test."""
    logging.disable()
    yield
    logging.disable(logging.NOTSET)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()


def written(write: Callable[[Path], object], suffix: str = "") -> bytes:
    """Bytes that a function writes to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"sample{suffix}"
        write(path)
        return path.read_bytes()


# Samples


def toy(buckets: int = 3) -> Encoder:
    known = ["the", "cat", "naïve", "слово", "n't"]
    table = np.random.default_rng(0).standard_normal((len(known) + buckets, 5)).astype(np.float32)
    return Encoder(WordTokenizer(known, buckets), table)


def zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", b"content " * 20)
        archive.writestr(zipfile.ZipInfo("b/../c"), b"x" * 50, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def tarred(mode: Any) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:
        info = tarfile.TarInfo("a.txt")
        info.size = 160
        archive.addfile(info, io.BytesIO(b"content " * 20))
    return file.getvalue()


@cache
def mixed() -> Any:
    return ensemble(trees(), trees())


# Readers, which check what they read


def pairs(path: Path) -> None:
    found = read_pairs("x", path)
    split = [
        line.removesuffix("\r").split("\t")
        for line in path.read_bytes().decode().removesuffix("\n").split("\n")
    ]
    assert [*zip(found.left, found.right, strict=True)] == [(cells[0], cells[1]) for cells in split]


def table(path: Path) -> None:
    for block in read_blocks(str(path), path.suffix[1:], size=2):
        assert {len(row) for row in block.rows} <= {len(block.columns)}


def packed_lines(path: Path) -> None:
    found, raw = list(lines(str(path))), path.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode().removesuffix("\n")
    assert found == [line.removesuffix("\r") for line in text.split("\n")]


def memory(path: Path) -> None:
    found = TranslationMemory(path)
    found.refresh()
    list(found.entries())


def model(path: Path) -> None:
    serves(loading.load(path))


def serves(encoder: SentenceEncoder) -> None:
    vectors = encoder.encode(WORDS)
    assert vectors.shape == (len(WORDS), encoder.dim) and np.isfinite(vectors).all()


def rows(path: Path) -> None:
    found = open_rows(path)
    assert len(found[0:2]) == min(2, len(found))


def fusion(path: Path) -> None:
    matrix = np.random.default_rng(1).standard_normal((5, 2))
    loaded, columns = load_ensemble(path)
    assert columns == ("a", "b")
    assert np.array_equal(loaded.predict(matrix), mixed().predict(matrix))


def archive(path: Path) -> None:
    with path.open("rb") as file:
        for _ in members(file, "address", hint="try again"):
            pass


class Reader(NamedTuple):
    """A kind of file: its suffix, the bytes of a good one, and a function that reads it."""

    suffix: str
    sample: Callable[[], bytes]
    read: Callable[[Path], object]


READERS = {
    "pairs": Reader(".tsv", TEXT.encode, pairs),
    "tsv": Reader(".tsv", lambda: b"left\tright\n" + TEXT.encode(), table),
    "csv": Reader(".csv", lambda: b'a,b\n"x, ""y""\nz",w\n1;2,3\n', table),
    "jsonl": Reader(".jsonl", lambda: b'{"a": "x", "b": "y", "n": [1]}\n\n{"b": "\\ud800", "a": ""}\n', table),
    "gzipped": Reader(".gz", lambda: gzip.compress(TEXT.encode(), mtime=0), packed_lines),
    "memory": Reader(".jsonl", lambda: written(lambda path: TranslationMemory(path).add_entries([ENTRY])), memory),
    "encoder": Reader(".safetensors", lambda: written(lambda path: save_encoder(path, toy(), "int8")), model),
    "word2vec": Reader(".txt", lambda: written(lambda path: write_word2vec(path, toy(), binary=False)), model),
    "rows": Reader(".npy", lambda: written(lambda path: write_rows(path, 3, [np.ones((4, 3), np.float32)])), rows),
    "fusion": Reader(".safetensors", lambda: written(lambda path: save_ensemble(path, mixed(), ("a", "b"))), fusion),
    "zip": Reader(".zip", zipped, archive),
    "tar": Reader(".tar", lambda: tarred("w"), archive),
}  # fmt: skip


def check(read: Callable[[Path], object], path: Path) -> None:
    """Read a file: the right answer, or one short line without control characters."""
    try:
        with bounded(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read(path)
    except StsError as error:
        message = str(error)
        assert message == visible(message) and "\n" not in message and len(message) <= LONGEST


SHAPES = (b"[", b'{"a":', b"<a>", b"a\t", b'"', b"\n", b"a", b"a b\n", b"\\", b"1 ", b"\0")


@pytest.mark.parametrize("name", READERS)
def test_changed_bytes_and_large_files_are_read_right_or_refused(name: str, tmp_path: Path) -> None:
    reader = READERS[name]
    sample, path = reader.sample(), tmp_path / f"case{reader.suffix}"
    path.write_bytes(sample)
    reader.read(path)  # a good file is read; code compiles outside the limits

    @settings(max_examples=settings().max_examples // 4, deadline=None)
    @given(CHANGES)
    def attack(changes: list[tuple[float, int, bytes]]) -> None:
        path.write_bytes(changed(sample, changes))
        check(reader.read, path)

    attack()
    for shape in SHAPES:
        path.write_bytes(shape * (2**14 // len(shape)))
        check(reader.read, path)
