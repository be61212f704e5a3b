"""A language taught to a small English encoder: what is learned, and what must not move."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from semaniacs.embeddings import loading
from semaniacs.embeddings.bitext.bitext_configuration import Levelling, Teaching
from semaniacs.embeddings.bitext.corpus import Bitext
from semaniacs.embeddings.bitext.multilingual import Multilingual
from semaniacs.embeddings.bitext.teaching import (
    Taught,
    choose_own,
    levelled,
    linked_rows,
    teach_language,
)
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import StsError
from tests.embeddings.bitext.synthetic import (
    ENGLISH,
    FOREIGN,
    NAME,
    made_up,
    retrieved,
    save_english,
)
from tests.embeddings.stopping import check_resumed

pytestmark = pytest.mark.usefixtures("little_compiled")

ALL = made_up(260)
BITEXT, HELD_OUT = (
    Bitext(ALL.languages, ALL.pairs[part]) for part in (slice(200), slice(200, 260))
)
HOW = Teaching(pieces=30, batch=64, epochs=3)


@pytest.fixture(scope="module")
def english_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("english") / "english.safetensors"
    save_english(path)
    return path


@pytest.fixture(scope="module")
def english(english_file: Path) -> Encoder:
    return loading.load_static(english_file)


@pytest.fixture(scope="module")
def taught(english: Encoder, little_compiled: None) -> Taught:
    return teach_language(english, BITEXT, HOW)


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


def test_rows_are_the_english_ones_in_proportion_by_hand() -> None:
    links = csr_matrix([[3.0, 1.0], [0.0, 0.5], [0.0, 0.0]])
    table = np.float32([[4, 0], [0, 8]])
    rows = linked_rows(links, table, np.array([4.0, 2.0, 7.0]))
    # linked every time: (3·(4,0) + 1·(0,8)) / 4; one time in four: half as long; never: zeros
    np.testing.assert_allclose(rows, [[3, 2], [0, 4], [0, 0]], rtol=1e-6)
    assert rows.dtype == np.float32
    assert not linked_rows(links, table, np.zeros(3))[2].any()


def test_translations_are_found(english: Encoder, taught: Taught) -> None:
    model = Multilingual({"en": english, "xx": taught.encoder})
    assert retrieved(Multilingual({"en": english, "xx": english}), HELD_OUT) < 0.3
    assert retrieved(model, HELD_OUT) > 0.9
    cosines = english.similarity_pairwise(ENGLISH, FOREIGN, taught.encoder)
    assert cosines.min() > 0.7
    assert english.similarity_pairwise([NAME], [NAME], taught.encoder)[0] > 0.7


def test_a_teaching_goes_on_to_the_same_bytes(english: Encoder, tmp_path: Path) -> None:
    path, train = tmp_path / "checkpoint", partial(teach_language, english, BITEXT, HOW)
    written = check_resumed(train, lambda found: found.encoder.table.tobytes(), path, at=6)
    path.write_bytes(written)
    with pytest.raises(StsError, match="checkpoint"):
        teach_language(english, Bitext(("en", "xx"), BITEXT.pairs[1:]), HOW, checkpoint=path)
    assert path.read_bytes() == written  # that of another training is refused and stays


def test_levelling_brings_the_rows_of_rare_words_to_the_length_of_the_others() -> None:
    rows = np.array([[3, 4], [0, 1], [0, 0], [0, 9], [0, 2]], np.float32)
    often = np.array([1, 3, 1, 10**9, 0])
    np.testing.assert_array_equal(levelled(rows, often, Levelling(share=0.0)), rows)
    even = levelled(rows, often, Levelling(1.0, rare=1))
    np.testing.assert_allclose(even[:2], [[3, 4], [0, 5**0.25]], rtol=1e-6)
    np.testing.assert_allclose(even[2:], rows[2:], rtol=1e-6)
    blank = np.zeros((5, 2), np.float32)
    np.testing.assert_array_equal(levelled(blank, often, Levelling(1.0)), blank)
