"""Files, folders and commands that once ended in a traceback, were believed, or written through."""

from __future__ import annotations

import os
import pty
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings import loading
from semaniacs.embeddings.formats.numpy_file import open_rows
from semaniacs.embeddings.single_file import load_patch, save_encoder
from semaniacs.embeddings.training.checkpoint import History
from semaniacs.features.regressors.fitted import FittedEnsemble, Part
from semaniacs.features.regressors.saved_ensemble import Trees, load_ensemble, save_ensemble
from semaniacs.sts.cache import Cache, cache_folder, entries_in
from semaniacs.sts.command_line import run_tool
from semaniacs.sts.data.archives import members
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import write_text
from semaniacs.sts.progress import visible
from semaniacs.sts.tensors import open_tensors, read_tensors, to_bytes
from semaniacs.sts.translation.memory import Entry, TranslationMemory, entries_in_xml
from semaniacs.sts.translation.translator import Translation
from tests.embeddings.toy import make_encoder
from tests.embeddings.training.test_loop import Recited, kept_in, new_table, run

ENTRY = Entry("p", "1", "es", "en", "hola", Translation("hello", ()))


def trees(columns: int = 2) -> Trees:
    """One tree that splits column 1 at .5."""
    return Trees(
        np.array([0], np.int32), np.array([1, -1, -1], np.int32), np.array([2, -1, -1], np.int32),
        np.array([1, 0, 0], np.int16), np.array([0.5, 0, 0]), np.array([0.0, 1, 2]),
        np.zeros(1), np.ones(columns),
    )  # fmt: skip


def ensemble(*scorers: Trees) -> FittedEnsemble:
    parts = tuple(Part("Boosting", {"library": "sklearn"}, scorer) for scorer in scorers)
    return FittedEnsemble(2, np.arange(2, dtype=np.int32), np.zeros(2), parts)


# Files of one's own making: name, content, reader, message


def safetensors(header: bytes, numbers: bytes) -> bytes:
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + numbers


def npy(header: bytes) -> bytes:
    return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header


def zipped(content: bytes) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x", content)
    return file.getvalue()


def unpack(path: Path) -> None:
    list(members(BytesIO(path.read_bytes()), path.name, hint="again"))


def read_tmx(path: Path) -> None:
    list(entries_in_xml(path, "1"))


def deep(element: str) -> bytes:
    return f'<tmx><tu><tuv xml:lang="en">{f"<{element}>" * 5000}'.encode()


NULL = b'{"__metadata__":null,"rows":{"dtype":"I8","shape":[1,1],"data_offsets":[0,1]}}'
CONTROL = b'{"rows":{"dtype":"F\x7f2","shape":[1],"data_offsets":[0,4]}}'

REFUSED: list[tuple[str, bytes, Callable[[Path], object], str]] = [
    ("seg.tmx", deep("seg"), read_tmx, r"seg\.tmx:1: not well-formed XML"),
    ("a.zip", b"PK" + zipped(b"content" * 30)[40:], unpack, "not a whole zip"),
    ("m.safetensors", safetensors(NULL, b"\0"), loading.load, r"m\.safetensors"),
    ("t.safetensors", safetensors(CONTROL, bytes(4)), open_tensors, r"unknown variant `F\\x7f2`"),
    ("v.txt", b"2 2\na 3e38 3e38\nb 3e38 1\n", loading.load, "finite numbers for every word"),
    ("b.npy", npy(b"(" * 500), open_rows, r"no \.npy file, or damaged"),
    ("encoder-0123456789ab.safetensors", b"something else",
     lambda path: load_patch(path, make_encoder()), "has changed since it was written"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "read", "said"), REFUSED, ids=[r[0] for r in REFUSED])
def test_a_bad_file_is_refused(
    name: str, content: bytes, read: Callable[[Path], object], said: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        read(path)


BAD_LINES = (
    '{"v": 1, "provider": "p", "version": "1", "source": "es", "target": "en", "text": "a",'
    ' "translation": "b", "untranslated": null}',
    "[" * 100_000, "9" * 5000,
)  # fmt: skip


@pytest.mark.parametrize("line", BAD_LINES, ids=range(len(BAD_LINES)))
def test_a_bad_line_of_a_memory_is_skipped(line: str, tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    memory = TranslationMemory(path)
    memory.add_entries([ENTRY])
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.warns(UserWarning, match=r"m\.jsonl:2: not a stored translation"):
        memory.refresh()
    assert list(memory.entries()) == [ENTRY]


# Models


def test_compiled_code_reads_no_column_that_is_not_there(tmp_path: Path) -> None:
    longer = trees(columns=40_000)
    with pytest.raises(ValueError, match="2 columns for 40000"):
        longer.predict(np.zeros((1, 2)))
    save_ensemble(tmp_path / "f.safetensors", ensemble(longer), ("a", "b"))
    with pytest.raises(DataError, match="gain is float64"):
        load_ensemble(tmp_path / "f.safetensors")


def test_the_hash_of_a_fusion_covers_types_and_shapes(tmp_path: Path) -> None:
    path = tmp_path / "f.safetensors"
    save_ensemble(path, ensemble(trees()), ("a", "b"))
    tensors, about = read_tensors(path, ())
    tensors["medians"] = tensors["medians"].view(np.int64)  # the same bytes
    path.write_bytes(to_bytes(tensors, about))
    with pytest.raises(DataError, match="not a whole fitted ensemble"):
        load_ensemble(path)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", ["int8", "int4"])
def test_weights_that_are_not_finite_are_refused(dtype: Any, value: float, tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    save_encoder(path, make_encoder(), dtype)
    tensors, about = open_tensors(path)
    name = next(name for name, tensor in tensors.items() if tensor.dtype.kind == "f")
    spoilt = np.array(tensors[name])
    spoilt.reshape(-1)[-1] = value
    path.write_bytes(to_bytes({**tensors, name: spoilt}, about))
    with pytest.raises(StsError):
        loading.load(path)


def test_a_changed_checkpoint_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.safetensors"
    kept_in(path).save(new_table(), History(), 0, 1)
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    with pytest.raises(StsError, match="its sha256 differs"):
        run(Recited([[1.0], [1.0]]), new_table(), checkpoint=kept_in(path))


# Links, folders of others, permissions


def test_records_of_a_cache_are_not_written_through_a_link(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine", encoding="utf-8")
    cache = Cache("k", "m", tmp_path / "cache")
    cache.folder.mkdir()
    for name in ("a.entry", "a.safetensors"):
        (cache.folder / name).symlink_to(victim)
    cache.add("a", lambda path: path.write_bytes(b"value"))
    assert victim.read_text(encoding="utf-8") == "mine"
    assert [entry.fault() for entry in entries_in(cache.folder)] == [None]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make links of others")
def test_a_link_of_another_user_is_not_followed(tmp_path: Path) -> None:
    victim, link = tmp_path / "victim", tmp_path / "m.jsonl"
    victim.write_text("mine\n", encoding="utf-8")
    link.symlink_to(victim)
    os.lchown(link, 12345, 12345)
    attempts: list[Callable[[], object]] = [
        lambda: TranslationMemory(link).add_entries([ENTRY]),
        lambda: TranslationMemory(link).refresh(),
        lambda: write_text(link, "theirs"),
    ]
    for attempt in attempts:
        with pytest.raises(StsError, match="a link that another user made"):
            attempt()
    assert victim.read_text(encoding="utf-8") == "mine\n"


def test_a_cache_that_others_can_write_to_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    monkeypatch.setenv("STS_CACHE", str(tmp_path / "open"))
    with pytest.raises(StsError, match=r"chmod go-w"):
        cache_folder()
    monkeypatch.setenv("STS_CACHE", "~nosuchuser/cache")
    with pytest.raises(StsError, match="set STS_CACHE"):
        cache_folder()


def test_new_files_have_what_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_text(tmp_path / "text", "a\ud800b\n")
        Cache("k", "m", tmp_path / "cache").add("a", lambda path: path.write_bytes(b"value"))
        TranslationMemory(tmp_path / "m.jsonl").add_entries([ENTRY])
    finally:
        os.umask(before)
    assert not any(path.stat().st_mode & 0o077 for path in tmp_path.rglob("*"))
    assert (tmp_path / "text").read_bytes() == b"a\\ud800b\n"  # a lone surrogate as its escape


# Commands


@pytest.mark.parametrize("name", ["a" * 300, "loop"])
def test_any_error_of_the_system_is_one_line(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "folder").mkdir()
    with pytest.raises(SystemExit) as ended:
        run_tool(lambda: (tmp_path / name).read_bytes() and None)
    (line,) = capfd.readouterr().err.splitlines()
    assert ended.value.code == 2 and line.startswith(f"error: {tmp_path / name}: ")


def test_a_terminal_obeys_no_sentence() -> None:
    sentence = "a\x1b]0;owned\x07\x9b2J b\r"
    code = f"from semaniacs.sts.command_line import run_tool; run_tool(lambda: print({sentence!r}))"
    shown = bytearray()

    def read(fd: int) -> bytes:
        data = os.read(fd, 1024)
        shown.extend(data)
        return b"." if data else b""  # pytest's own stdout gets a dot

    assert pty.spawn([sys.executable, "-c", code], read) == 0
    assert shown.decode() == visible(sentence) + "\r\n"
    assert visible(sentence) == "a\\x1b]0;owned\\x07\\x9b2J b\\r"
