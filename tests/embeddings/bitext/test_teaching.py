"""A language taught to a small English encoder: what is learned, and what must not move."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from embeddings import loading
from embeddings.bitext.bitext_configuration import Levelling, Teaching
from embeddings.bitext.corpus import Bitext
from embeddings.bitext.multilingual import Multilingual
from embeddings.bitext.teaching import (
    Taught,
    borrowed_links,
    choose_own,
    levelled,
    linked_rows,
    teach_language,
)
from embeddings.encoder import Encoder
from embeddings.formats.single_file import save_taught
from embeddings.loading import load_multilingual
from embeddings.tokenizers.words import WordTokenizer
from embeddings.training.sentence_model import SentenceModel
from sts.errors import DataError, StsError
from sts.tensors import read_tensors
from tests.embeddings.bitext.synthetic import (
    ENGLISH,
    FOREIGN,
    NAME,
    little_compiled,
    made_up,
    retrieved,
    save_english,
)

ALL = made_up(260, name=True)
BITEXT, HELD_OUT = (
    Bitext(ALL.languages, ALL.pairs[part]) for part in (slice(200), slice(200, 260))
)
HOW = Teaching(pieces=30, batch=64, epochs=3)


@pytest.fixture(autouse=True, scope="module")
def _compile_little() -> Iterator[None]:
    with little_compiled():
        yield


@pytest.fixture(scope="module")
def english_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("english") / "english.safetensors"
    save_english(path)
    return path


@pytest.fixture(scope="module")
def english(english_file: Path) -> Encoder:
    return loading.load_static(english_file)


@pytest.fixture(scope="module")
def taught(english: Encoder, _compile_little: None) -> Taught:
    return teach_language(english, BITEXT, HOW)


# Which words and pieces

SMALL = WordTokenizer(["a", "rome", "##rome", "badat"], 1)
SENTENCES = ["Zora rome", "zora, ZORA!", "ñu rome", "a nuna nuna"]


def small() -> Encoder:
    return Encoder(SMALL, np.eye(5, dtype=np.float32))


def test_words_are_own_if_they_are_frequent_or_english() -> None:
    """zora occurs often enough; rome and a are English too; nuna and ñu are spelled."""
    own = choose_own(small(), SENTENCES, replace(HOW, pieces=0))
    words, pieces = own[:3], own[3:]
    assert words == ["zora", "rome", "a"]  # by how often they occur
    assert sorted(pieces) == sorted([*"zormeñun", "##o", "##r", "##a", "##m", "##e", "##u", "##n"])
    assert "nuna" in choose_own(small(), SENTENCES, replace(HOW, min_count=2, pieces=0))
    with_pieces = choose_own(small(), SENTENCES, replace(HOW, pieces=3))
    assert with_pieces[: len(own)] == own and len(with_pieces) == len(own) + 3
    assert len(set(with_pieces)) == len(with_pieces)
    assert all(word.startswith("##") for word in with_pieces[len(own) :])


def test_what_both_languages_have_is_linked_with_itself() -> None:
    links = borrowed_links(["zora", "rome", "##rome", "a"], small(), replace(HOW, borrowed=2.5))
    expected = np.zeros((4, 5))
    expected[1, 1] = expected[3, 0] = 2.5  # a piece is none of the words
    np.testing.assert_array_equal(links.toarray(), expected)
    assert borrowed_links(["zora"], small(), HOW).shape == (1, 5)


def test_rows_are_the_english_ones_in_proportion_by_hand() -> None:
    links = csr_matrix([[3.0, 1.0], [0.0, 0.5], [0.0, 0.0]])
    table = np.float32([[4, 0], [0, 8]])
    rows = linked_rows(links, table, np.array([4.0, 2.0, 7.0]))
    # linked every time: (3·(4,0) + 1·(0,8)) / 4; one time in four: half as long; never: zeros
    np.testing.assert_allclose(rows, [[3, 2], [0, 4], [0, 0]], rtol=1e-6)
    assert rows.dtype == np.float32
    assert not linked_rows(links, table, np.zeros(3))[2].any()


# What is learned


def test_translations_are_found(english: Encoder, taught: Taught) -> None:
    model = Multilingual({"en": english, "xx": taught.encoder})
    assert retrieved(Multilingual({"en": english, "xx": english}), HELD_OUT) < 0.3
    assert retrieved(model, HELD_OUT) > 0.9
    cosines = english.similarity_pairwise(ENGLISH, FOREIGN, taught.encoder)
    assert cosines.min() > 0.7
    assert english.similarity_pairwise([NAME], [NAME], taught.encoder)[0] > 0.7


def test_english_does_not_move(english: Encoder, english_file: Path, taught: Taught) -> None:
    table, vectors = english.table.tobytes(), english.encode(BITEXT.side(0)).tobytes()
    teach_language(english, BITEXT, HOW)
    assert (english.table.tobytes(), english.encode(BITEXT.side(0)).tobytes()) == (table, vectors)
    assert loading.load_static(english_file).table.tobytes() == table
    # Its rows stand in the foreign encoder as they are.
    foreign = taught.encoder
    for word in foreign.tokenizer.known[taught.own :]:
        row, theirs = foreign.tokenizer.rows[word], english.tokenizer.rows[word]
        assert foreign.table[row].tobytes() == english.table[theirs].tobytes()
    assert foreign.table[-4:].tobytes() == english.table[-4:].tobytes()


def test_english_words_that_the_language_lacks_are_english(
    english: Encoder, taught: Taught
) -> None:
    """bat is in no foreign sentence: a name, it is to be hoped."""
    own = taught.encoder.tokenizer.known[: taught.own]
    assert "bat" not in own and NAME in own and {*FOREIGN} <= {*own}
    assert taught.encoder.encode(["bat"]).tobytes() == english.encode(["bat"]).tobytes()
    assert len(taught.encoder.tokenizer.known) == len(set(taught.encoder.tokenizer.known))


def test_a_word_of_both_languages_means_also_what_it_means_in_english(english: Encoder) -> None:
    """dit stands once in the foreign sentences, where its translation is another word."""
    bitext = Bitext(("en", "xx"), [*BITEXT.pairs, ("bat bet", "dit kon")])
    still = replace(HOW, learning_rate=1e-9)
    alone, borrowed = (
        teach_language(english, bitext, replace(still, borrowed=links)).encoder
        for links in (0.0, 100.0)
    )
    assert "dit" in alone.tokenizer.known[: len(FOREIGN) + 2]
    cosines = [english.similarity_pairwise(["dit"], ["dit"], e)[0] for e in (alone, borrowed)]
    assert cosines[0] < 0.9 and cosines[1] > 0.99


def test_the_same_again(english: Encoder, taught: Taught) -> None:
    again = teach_language(english, BITEXT, HOW)
    assert again.own == taught.own
    assert again.encoder.tokenizer.known == taught.encoder.tokenizer.known
    assert again.encoder.table.tobytes() == taught.encoder.table.tobytes()
    other = teach_language(english, BITEXT, replace(HOW, seed=1))
    assert other.encoder.table.tobytes() != taught.encoder.table.tobytes()


class KilledError(Exception):
    """Raised in the middle."""


def test_a_teaching_goes_on_to_the_same_bytes(
    english: Encoder, taught: Taught, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, taken, step = tmp_path / "checkpoint", [], SentenceModel.step

    def killed_once(table: SentenceModel, *arguments: object, **rest: object) -> object:
        taken.append(table.steps)
        if len(taken) == 6:
            raise KilledError
        return step(table, *arguments, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(SentenceModel, "step", killed_once)
    with pytest.raises(KilledError):
        teach_language(english, BITEXT, HOW, checkpoint=path, seconds=0)
    written = path.read_bytes()
    resumed = teach_language(english, BITEXT, HOW, checkpoint=path, seconds=0)
    assert taken[6] > 0  # it resumed
    assert resumed.encoder.table.tobytes() == taught.encoder.table.tobytes()
    assert not path.exists()
    path.write_bytes(written)
    with pytest.raises(StsError, match="checkpoint"):
        teach_language(english, Bitext(("en", "xx"), BITEXT.pairs[1:]), HOW, checkpoint=path)
    assert path.read_bytes() == written  # that of another training is refused and stays


@pytest.mark.parametrize("pair", [("\u200b", "koni"), ("badat", "\u200b")])
def test_pairs_without_a_word_teach_nothing(english: Encoder, pair: tuple[str, str]) -> None:
    with pytest.raises(StsError, match="no pair holds a word on both sides"):
        teach_language(english, Bitext(("en", "xx"), [pair, pair]), HOW)
    teach_language(english, Bitext(("en", "xx"), [pair, *BITEXT.pairs[:5]]), HOW)


# The file


def test_a_taught_file_gives_the_same_vectors(
    english: Encoder, english_file: Path, taught: Taught, tmp_path: Path
) -> None:
    path = tmp_path / "taught.safetensors"
    save_taught(path, {"xx": taught}, str(english_file), english, licence="MIT")
    loaded = load_multilingual(path)
    assert loaded.languages == ("en", "xx")
    sentences = [*ALL.side(1), "", "unknown kxq badat 2015 naïve", "slo\ud800wo"]
    for encoder, same in ((loaded.of("xx"), taught.encoder), (loaded.of("en"), english)):
        assert encoder.encode(sentences).tobytes() == same.encode(sentences).tobytes()
    first = path.read_bytes()
    save_taught(path, {"xx": taught}, str(english_file), english, licence="MIT")
    assert path.read_bytes() == first
    assert loading.metadata_of(path)["licence"] == "MIT"
    # It holds its own rows alone.
    tensors, _ = read_tensors(path, ("xx.rows",))
    assert tensors["xx.rows"].shape == (taught.own, 8) and tensors["xx.rows"].dtype == np.int8


def test_a_file_on_other_english_vectors_is_refused(
    english_file: Path, taught: Taught, tmp_path: Path
) -> None:
    path, other = tmp_path / "taught.safetensors", tmp_path / "other.safetensors"
    other.write_bytes(english_file.read_bytes())
    start = loading.load_static(other)
    save_taught(path, {"xx": taught}, str(other), start)
    load_multilingual(path)
    save_english(other, seed=1)
    with pytest.raises(DataError, match=r"extends other .*other\.safetensors vectors than those"):
        load_multilingual(path)


# Real sentences


def test_spanish_is_taught_by_little_bitext(sts_data: Path) -> None:
    """By 3,000 pairs: among 500 others more than half of the translations are found at once."""
    file = sts_data.parent / "bitext" / "tatoeba.en-es.tsv.gz"
    if not file.exists():
        pytest.skip(f"real bitext {file.name} not found; set STS_DATA")
    with gzip.open(file, "rt", encoding="utf-8", newline="\n") as lines:
        rows = [tuple(line.rstrip("\n").split("\t")) for line in islice(lines, 60_000)]
    by_english = {left: right for left, right in rows if len(left.split()) > 5}
    by_both = {right: left for left, right in by_english.items()}
    pairs = [(left, right) for right, left in by_both.items()][:3500]
    learned, held_out = (Bitext(("en", "es"), part) for part in (pairs[:3000], pairs[3000:]))
    english = loading.load_static()
    spanish = teach_language(english, learned, Teaching(epochs=1)).encoder
    left, right = held_out.side(0), held_out.side(1)
    assert len(left) == 500
    assert retrieved(Multilingual({"en": english, "es": english}), held_out) < 0.3
    assert retrieved(Multilingual({"en": english, "es": spanish}), held_out) > 0.5
    own = english.similarity_pairwise(left, right, spanish)
    others = english.similarity_pairwise(left, right[1:] + right[:1], spanish)
    assert own.mean() > others.mean() + 0.2


def test_levelling_brings_the_rows_of_rare_words_to_the_length_of_the_others() -> None:
    rows = np.array([[3, 4], [0, 1], [0, 0], [0, 9], [0, 2]], np.float32)
    often = np.array([1, 3, 1, 10**9, 0])
    np.testing.assert_array_equal(levelled(rows, often, Levelling(share=0.0)), rows)
    even = levelled(rows, often, Levelling(1.0, rare=1))
    np.testing.assert_allclose(even[:2], [[3, 4], [0, 5**0.25]], rtol=1e-6)
    np.testing.assert_allclose(even[2:], rows[2:], rtol=1e-6)
    blank = np.zeros((5, 2), np.float32)
    np.testing.assert_array_equal(levelled(blank, often, Levelling(1.0)), blank)


def test_a_language_is_levelled_after_it_was_learned(english: Encoder) -> None:
    one, other = (
        teach_language(english, BITEXT, replace(HOW, epochs=1, levelling=how)).encoder.table
        for how in (None, Levelling(1.0))
    )
    assert not np.array_equal(one, other)
    lengths = np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1)
    np.testing.assert_allclose(
        one / np.maximum(lengths[0], 1e-9)[:, None],
        other / np.maximum(lengths[1], 1e-9)[:, None],
        atol=0.02,
    )
