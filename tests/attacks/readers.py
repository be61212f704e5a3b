"""Every reader of files from outside: a file that it reads, and what must hold of what it reads."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.encoder import SentenceEncoder
from tests.embeddings.toy import make_encoder, make_tuned
from tests.embeddings.transformer.fine_tuning import tiny

TEXT = (
    "A dog runs in the park.\tA dog is running.\n"
    "Los niños cantan “así”.\tThe children sing.\n"
    "naïve 日本 😀\t\u200bstocks fell on Friday\n"
)
WORDS = ("the cat", "naïve слово", "", "unheard-of \U0001f600")


@dataclass(frozen=True)
class Reader:
    """How a kind of file is attacked.

    Attributes:
        name: of the kind.
        suffix: of the file.
        sample: the bytes of a good one; of a folder, the files by name.
        read: reads it, and raises AssertionError if what it read is wrong.
    """

    name: str
    suffix: str
    sample: Callable[[], bytes | dict[str, bytes]]
    read: Callable[[Path], object]


def written(write: Callable[[Path], object], suffix: str) -> bytes:
    """What a function writes to a file."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        path = Path(folder) / f"sample{suffix}"
        write(path)
        return path.read_bytes()


def consume(rows: Iterable[object]) -> None:
    """Read to the end."""
    for _ in rows:
        pass


# --- sentences


def read_pairs(path: Path) -> None:
    """The two sides are what a plain split finds."""
    from sts.data.pairs import read_pairs as read

    found = read("x", path)
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()
    lines = [line.removesuffix("\r").split("\t") for line in text.removesuffix("\n").split("\n")]
    assert [*zip(found.left, found.right, strict=True)] == [(c[0], c[1]) for c in lines]


def read_gold(path: Path) -> None:
    """A score a line, in [0, 5]."""
    from sts.data.pairs import parse_gold
    from sts.files import read_lines

    lines = read_lines(path)
    gold = parse_gold(lines, path)
    assert len(gold) == len(lines)
    assert ((gold >= 0) & (gold <= 5) | np.isnan(gold)).all()


def read_table(kind: str) -> Callable[[Path], None]:
    """Every row has a cell a column."""

    def read(path: Path) -> None:
        from sts.data.tables.table_reader import read_blocks

        for block in read_blocks(str(path), kind, size=2):
            assert {len(row) for row in block.rows} <= {len(block.columns)}
            assert len(block.lines) == len(block.rows)

    return read


def read_lines(path: Path) -> None:
    """The lines are those of the unpacked text."""
    from embeddings.formats.lines import lines

    found = list(lines(str(path)))
    text = gzip.decompress(path.read_bytes()).decode()
    assert found == [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")]


def read_memory(path: Path) -> None:
    """What is served was in the file, and the good lines are all served."""
    from sts.translation.memory.store import TranslationMemory

    memory = TranslationMemory(path)
    memory.refresh()
    held = list(memory.entries())
    lines = path.read_bytes().split(b"\n")[:-1]
    good = [line for line in _memory().split(b"\n")[:-1] if line in lines]
    texts = {(entry.text, entry.translation.text) for entry in held}
    for line in good:
        said = json.loads(line)
        same = [
            e.translation.text
            for e in held
            if (e.provider, e.text) == (said["provider"], said["text"])
        ]
        assert same or (said["text"], said["translation"]) in texts


@cache
def _entries() -> list[Any]:
    from sts.translation.memory.store import Entry
    from sts.translation.translator import Translation

    pairs = [("hola", "hello"), ('los "niños" & <b>', "children\n"), ("x\ud800", "\x00y\\")]
    return [Entry("p", "1", "es", "en", a, Translation(b, ("w",))) for a, b in pairs]


def _memory() -> bytes:
    from sts.translation.memory.store import TranslationMemory

    return written(lambda path: TranslationMemory(path).add_entries(_entries()), ".jsonl")


def _exchange(kind: str) -> Callable[[], bytes]:
    def sample() -> bytes:
        from sts.translation.memory import tmx, tsv

        lines = {"tmx": tmx, "tsv": tsv}[kind].lines(_entries())
        return "".join(lines).encode()

    return sample


def _read_exchange(kind: str) -> Callable[[Path], None]:
    def read(path: Path) -> None:
        from sts.translation.memory import tmx, tsv

        consume({"tmx": tmx, "tsv": tsv}[kind].read(path, "1"))

    return read


# --- encoders


def serves(encoder: SentenceEncoder) -> None:
    """Every vector that is served is of one length, and finite."""
    vectors = encoder.encode(list(WORDS))
    assert vectors.shape == (len(WORDS), encoder.dim)
    assert np.isfinite(vectors).all(), "vectors that are not finite"


def _file(dtype: Any = "int8") -> bytes:
    from embeddings.formats.single_file import save_encoder

    return written(lambda path: save_encoder(path, make_encoder(), dtype), ".safetensors")


def _load(path: Path) -> None:
    from embeddings.loading import load

    serves(load(path))


def _patch() -> bytes:
    from embeddings.formats.patch import save_patch

    start = make_encoder()
    return written(lambda path: save_patch(path, make_tuned(start), start), ".safetensors")


def _load_patch(path: Path) -> None:
    from embeddings.formats.patch import load_patch

    serves(load_patch(path, make_encoder()))


def _folder(*without: str) -> dict[str, bytes]:
    from tempfile import TemporaryDirectory

    from embeddings.encoder import Encoder
    from embeddings.formats.folder import MARK, save_folder
    from embeddings.tokenizers.words import WordTokenizer

    known = ["the", "cat", "naïve", "слово", "n't"]
    table = np.random.default_rng(0).standard_normal((len(known) + 3, 5)).astype(np.float32)
    with TemporaryDirectory() as name:
        save_folder(Path(name) / "m", Encoder(WordTokenizer(known, 3), table), "float32")
        files = {p.name: p.read_bytes() for p in (Path(name) / "m").iterdir()}
    if MARK in without:  # as another library has it
        config = json.loads(files["config.json"])
        del config[MARK]
        files["config.json"] = json.dumps(config).encode()
    return {name: raw for name, raw in files.items() if name not in without}


def _word2vec(binary: bool) -> Callable[[], bytes]:
    def sample() -> bytes:
        from embeddings.encoder import Encoder
        from embeddings.formats.word2vec import write_word2vec
        from embeddings.tokenizers.words import WordTokenizer

        table = np.random.default_rng(0).standard_normal((6, 5)).astype(np.float32)
        encoder = Encoder(WordTokenizer(["the", "cat", "naïve"], 3), table)
        return written(lambda path: write_word2vec(path, encoder, binary=binary), ".bin")

    return sample


def _pieces() -> bytes:
    from tests.embeddings.models import learned

    return learned()


def _read_pieces(path: Path) -> None:
    from embeddings.tokenizers.sentencepiece import SentencePieceTokenizer
    from sts.errors import DataError

    try:
        tokenizer = SentencePieceTokenizer(path.read_bytes())
    except ValueError as error:  # the file that holds the model names itself
        raise DataError(f"{path}: {error}") from None
    for text in WORDS:
        assert all(0 <= row < len(tokenizer) for row in tokenizer.ids(text))


def _rows() -> bytes:
    from embeddings.formats.numpy_file import write_rows

    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    return written(lambda path: write_rows(path, 3, [rows]), ".npy")


def _read_rows(path: Path) -> None:
    from embeddings.formats.numpy_file import open_rows

    rows = open_rows(path)
    assert len(rows[0:2]) == min(2, len(rows))


# --- what was fitted, and what is kept


@cache
def _ensemble() -> Any:
    from features.regressors.fitted import FittedEnsemble, KernelSum, Linear, Part
    from tests.attacks.test_kept_files import trees

    random = np.random.default_rng(0)
    kernel = KernelSum(
        np.zeros(2), np.ones(2), random.integers(-9, 9, (4, 2)).astype(np.int8),
        np.ones(4, np.float32), np.zeros(1), 0.5,
    )  # fmt: skip
    linear = Linear(np.zeros(2), np.ones(2), np.ones(2), np.zeros(1))
    parts = (
        Part("ExtraTrees", {}, trees()), Part("Ridge", {}, linear), Part("SVR", {"gamma": 0.5}, kernel),
    )  # fmt: skip
    return FittedEnsemble(2, np.arange(2, dtype=np.int32), np.zeros(2), parts)


def _fusion() -> bytes:
    from features.regressors.saved_ensemble import save_ensemble

    return written(lambda path: save_ensemble(path, _ensemble(), ("a", "b")), ".safetensors")


def _read_fusion(path: Path) -> None:
    """The scores are those of the ensemble that was saved."""
    from features.regressors.saved_ensemble import load_ensemble

    matrix = np.random.default_rng(1).standard_normal((5, 2))
    loaded, columns = load_ensemble(path)
    assert columns == ("a", "b"), columns
    assert np.array_equal(loaded.predict(matrix), _ensemble().predict(matrix)), "other scores"


class Kept:
    """Parameters as a checkpoint asks for them."""

    def __init__(self) -> None:
        self.numbers = np.arange(6, dtype=np.float32).reshape(2, 3)

    def tensors(self) -> dict[str, Any]:
        return {"numbers": self.numbers}

    def restore(self, tensors: dict[str, Any]) -> None:
        self.numbers = tensors["numbers"]


def _checkpoint_at(path: Path) -> Any:
    from embeddings.training.checkpoint import Checkpoint

    return Checkpoint(path, {"whose": "mine"}, 0.0)


def _checkpoint() -> bytes:
    from embeddings.training.history import History

    def write(path: Path) -> None:
        _checkpoint_at(path).save(Kept(), History(), 1, 2)

    return written(write, ".safetensors")


def _resume(path: Path) -> None:
    """It resumes what was saved, or nothing."""
    from embeddings.training.history import History

    kept = Kept()
    kept.numbers = kept.numbers * 0
    place = _checkpoint_at(path).resume(kept, History())
    assert place == (1, 2), place
    assert np.array_equal(kept.numbers, Kept().numbers), "other numbers"


def _search() -> bytes:
    from tempfile import TemporaryDirectory

    from embeddings.formats.search_checkpoint import FoundSoFar, SearchCheckpoint

    with TemporaryDirectory() as name:
        kept = SearchCheckpoint(Path(name), {})
        kept.save(0, FoundSoFar(3, np.zeros((1, 2), np.int64), np.ones((1, 2))))
        return kept._path(0).read_bytes()


def _read_search(path: Path) -> None:
    from embeddings.formats.search_checkpoint import SearchCheckpoint

    kept = SearchCheckpoint(path.parent, {})
    path.replace(kept._path(0))
    found = kept.load(0)
    assert found is None or (found.rows, found.cosines.tolist()) == (3, [[1.0, 1.0]]), found


def _result() -> bytes:
    path = sorted((Path(__file__).parents[2] / "runs" / "results").glob("sts2016.raw.json"))[0]
    return path.read_bytes()


def _read_result(path: Path) -> None:
    from runs.report.comparison import named_task
    from runs.tables.made_again import read_result

    named_task(path)
    read_result(path)


# --- archives


def _zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", b"content " * 20)
        archive.writestr(zipfile.ZipInfo("b/../c"), b"x" * 50, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _tar(mode: Any) -> Callable[[], bytes]:
    def sample() -> bytes:
        file = io.BytesIO()
        with tarfile.open(fileobj=file, mode=mode) as archive:
            info = tarfile.TarInfo("a.txt")
            info.size = 160
            archive.addfile(info, io.BytesIO(b"content " * 20))
        return file.getvalue()

    return sample


def _read_archive(path: Path) -> None:
    from sts.data.archives import members, named_members

    with path.open("rb") as file:
        consume(members(file, "address", hint="try again"))
    if path.suffix == ".zip":
        consume(named_members(path))


def _wheel() -> bytes:
    from tests.embeddings.transformer.test_network import wheel

    return written(wheel, ".whl")


def _read_wheel(path: Path) -> None:
    from embeddings.transformer.bert_folder import read_transformer

    serves(read_transformer(path))


def _pair_scorer() -> dict[str, bytes]:
    from tempfile import TemporaryDirectory

    from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import (
        CrossAttention,
        initial_head,
    )
    from embeddings.transformer.fine_tuning.cross_encoders.folders import save_cross_attention
    from embeddings.transformer.fine_tuning.tuning_configuration import CrossAttentionTuning

    with TemporaryDirectory() as name:
        source, saved = tiny.save(Path(name) / "start"), Path(name) / "m"
        head = initial_head(tiny.network(), CrossAttentionTuning(frozen=1))
        save_cross_attention(saved, CrossAttention(tiny.network(), head), source)
        files = [path for path in saved.rglob("*") if path.is_file()]
        return {path.relative_to(saved).as_posix(): path.read_bytes() for path in files}


def _score_pairs(path: Path) -> None:
    from embeddings.transformer.fine_tuning.cross_encoders.folders import load_pair_scorer

    found = load_pair_scorer(path).predict(["aa bb", "cc"], ["dd", "ee"])
    assert found.shape == (2,)
    assert np.isfinite(found).all()


def _tuned_networks() -> bytes:
    from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import initial_head
    from embeddings.transformer.fine_tuning.saved_tuning import save_tuning
    from embeddings.transformer.fine_tuning.tuning_configuration import CrossAttentionTuning

    start = tiny.network()
    moved = {name: value + np.float32(0.01) for name, value in start.weights.items()}
    head = initial_head(start, CrossAttentionTuning(frozen=1))
    network = start.with_weights(moved)
    return written(lambda path: save_tuning(path, start, network, {"head": head}), ".safetensors")


def _score_with_tuned(path: Path) -> None:
    from runs.pipeline.tuning.ensemble_networks import load_graded

    found = load_graded(path, tiny.network()).predict(["aa bb", "cc"], ["dd", "ee"])
    assert found.shape == (2,)
    assert np.isfinite(found).all()


READERS = {
    reader.name: reader
    for reader in (
        Reader("pairs", ".tsv", TEXT.encode, read_pairs),
        Reader("gold", ".gs", lambda: b"5\n\n0.25\n3.0\n", read_gold),
        Reader("tsv", ".tsv", lambda: b"left\tright\n" + TEXT.encode(), read_table("tsv")),
        Reader("csv", ".csv", lambda: b'a,b\n"x, ""y""\nz",w\n1;2,3\n', read_table("csv")),
        Reader("jsonl", ".jsonl", lambda: b'{"a": "x", "b": "y", "n": [1]}\n\n{"b": "\\ud800", "a": ""}\n', read_table("jsonl")),
        Reader("gzipped", ".txt.gz", lambda: gzip.compress(TEXT.encode(), mtime=0), read_lines),
        Reader("memory", ".jsonl", _memory, read_memory),
        Reader("tmx", ".tmx", _exchange("tmx"), _read_exchange("tmx")),
        Reader("memory_tsv", ".tsv", _exchange("tsv"), _read_exchange("tsv")),
        Reader("encoder", ".safetensors", _file, _load),
        Reader("encoder_int4", ".safetensors", lambda: _file("int4"), _load),
        Reader("patch", ".safetensors", _patch, _load_patch),
        Reader("folder", "", _folder, _load),
        Reader("foreign_folder", "", lambda: _folder("word_table"), _load),
        Reader("sentence_folder", "", lambda: _folder("word_table", "config.json"), _load),
        Reader("pair_scorer", "", _pair_scorer, _score_pairs),
        Reader("tuned_networks", ".safetensors", _tuned_networks, _score_with_tuned),
        Reader("word2vec", ".txt", _word2vec(binary=False), _load),
        Reader("word2vec_binary", ".bin", _word2vec(binary=True), _load),
        Reader("sentencepiece", ".model", _pieces, _read_pieces),
        Reader("rows", ".npy", _rows, _read_rows),
        Reader("fusion", ".safetensors", _fusion, _read_fusion),
        Reader("checkpoint", ".safetensors", _checkpoint, _resume),
        Reader("search_checkpoint", ".safetensors", _search, _read_search),
        Reader("result", ".json", _result, _read_result),
        Reader("zip", ".zip", _zip, _read_archive),
        Reader("tar", ".tar", _tar("w"), _read_archive),
        Reader("targz", ".tgz", _tar("w:gz"), _read_archive),
        Reader("wheel", ".whl", _wheel, _read_wheel),
    )
}  # fmt: skip
"""The readers by name."""
