"""Files of several languages: they come back as they were, and bad ones are refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs import embeddings
from semaniacs.embeddings import loading
from semaniacs.embeddings.bitext.bitext_configuration import Shape
from semaniacs.embeddings.bitext.corpus import Bitext
from semaniacs.embeddings.bitext.language_files import save_shared, save_taught
from semaniacs.embeddings.bitext.lstm import RecurrentEncoder
from semaniacs.embeddings.bitext.multilingual import (
    Multilingual,
    Taught,
    scaled_by_frequency,
    with_fallback,
    without_repeated,
)
from semaniacs.embeddings.bitext.vocabularies import starting_point
from semaniacs.embeddings.encoder import Encoder, SentenceEncoder
from semaniacs.embeddings.loading import load, load_multilingual
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.embeddings.table import Table, quantize
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import DataError, UnknownNameError
from semaniacs.sts.tensors import Tensors, pack, read_tensors, to_bytes
from tests.embeddings.bitext.synthetic import made_up

BITEXT = made_up(40)
SENTENCES = [*BITEXT.side(0)[:5], *BITEXT.side(1)[:5], "", "naïve слово 2015", "\ud800"]
SHAPES = {
    "SP": Shape("SP", 60, 6),
    "separate": Shape("SP", 60, 6, separate=True),
    "WORD": Shape("WORD", 60, 6),
    "TRIGRAM": Shape("TRIGRAM", 60, 6),
    "LSTM-SP": Shape("LSTM-SP", 60, 6),
    "LSTM-SP, separate": Shape("LSTM-SP", 60, 6, separate=True),
}


def rounded(model: Multilingual) -> Multilingual:
    table = quantize(model.of("en").table)

    def changed(encoder: SentenceEncoder) -> SentenceEncoder:
        if isinstance(encoder, RecurrentEncoder):
            return RecurrentEncoder(encoder.tokenizer, table, encoder.parameters)
        return Encoder(encoder.tokenizer, table)

    return model.mapped(changed)


def saved(path: Path, kind: str = "SP") -> Multilingual:
    model = starting_point([BITEXT], SHAPES[kind])
    save_shared(path, model, SHAPES[kind].encoder, licence="MIT")
    return model


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize("kind", SHAPES)
def test_a_model_comes_back_as_it_was(kind: str, path: Path) -> None:
    model = rounded(saved(path, kind))
    loaded = load_multilingual(path)
    assert loaded.languages == ("en", "xx") and loaded.name == str(path)
    assert (loaded.of("en") is loaded.of("xx")) == ("separate" not in kind)
    for code in loaded.languages:
        encoder = loaded.of(code)
        assert encoder.tokenizer.known == model.of(code).tokenizer.known
        assert type(encoder.tokenizer) is type(model.of(code).tokenizer)
        assert encoder.rows.values.dtype == np.int8
        assert encoder.encode(SENTENCES).tobytes() == model.of(code).encode(SENTENCES).tobytes()
        assert load(path, code).encode(SENTENCES).tobytes() == (
            embeddings.load(str(path), code).encode(SENTENCES).tobytes()
        )


def test_a_language_by_its_code(path: Path) -> None:
    saved(path, "separate")
    with pytest.raises(
        UnknownNameError, match=r"language of .*model\.safetensors 'fr'; choose one of: en, xx"
    ):
        load(path, "fr")
    with pytest.raises(DataError, match="an encoder each; name the language, with .*: en, xx"):
        load(path)
    saved(path, "SP")  # one for both, which need not be named
    assert load(path).encode(["bat"]).tobytes() == (load(path, "xx").encode(["bat"]).tobytes())


def test_sentences_of_several_languages(path: Path) -> None:
    model = saved(path, "separate")
    codes = ["en"] * 5 + ["xx"] * 6 + ["en", "xx"]
    vectors = model.encode(SENTENCES, codes)
    for sentence, code, vector in zip(SENTENCES, codes, vectors, strict=True):
        assert vector.tobytes() == model.of(code).encode([sentence])[0].tobytes()
    assert vectors.dtype == np.float32 and model.encode([], []).shape == (0, 6)
    with pytest.raises(UnknownNameError, match="'fr'; choose one of: en, xx"):
        model.encode(["a"], ["fr"])
    with pytest.raises(ValueError, match="2 sentences in 1 languages"):
        model.encode(["a", "b"], ["en"])


KNOWN = ["the", "dog", "rome", "##s", "d", "run", "##n"]
ENGLISH = Encoder(
    WordTokenizer(KNOWN, 2), quantize(np.random.default_rng(0).standard_normal((9, 4), np.float32))
)
OWN = ["perro", "rome", "##s", "p"]
ROWS = quantize(np.random.default_rng(1).standard_normal((4, 4), np.float32))


@pytest.mark.parametrize("rows", [ROWS, Table(ROWS.dense)])
def test_own_words_come_first_and_english_ones_fill_in(rows: Table) -> None:
    """Names too are the language's own where it lists them; English pieces are left out."""
    made = with_fallback(ENGLISH, OWN, rows)
    assert made.tokenizer.known == (*OWN, "the", "dog", "d", "run")
    assert made.tokenizer.buckets == 2
    expected = np.vstack([ROWS.dense, ENGLISH.table[[0, 1, 4, 5, 7, 8]]])
    assert made.table.tobytes() == expected.tobytes()
    assert made.rows.values.dtype == rows.values.dtype
    assert made.encode(["dog"]).tobytes() == ENGLISH.encode(["dog"]).tobytes()
    assert made.encode(["rome"]).tobytes() == ROWS.dense[1].tobytes()
    # what neither lists is spelled from own pieces, or hashed as in English
    spelled = (ROWS.dense[0] + ROWS.dense[2]) / np.float32(2)
    assert made.encode(["perros"]).tobytes() == spelled.tobytes()
    assert made.encode(["ñ"]).tobytes() == ENGLISH.encode(["ñ"]).tobytes()


@pytest.mark.parametrize("as_int8", [True, False])
def test_a_word_whose_row_is_nearly_the_english_one_is_left_out(as_int8: bool) -> None:
    """Pieces stay, since English ones are not taken over, and so do words that mean another thing."""
    rows = ROWS.dense.copy()
    rows[1] = ENGLISH.table[2] * np.float32(0.8)  # rome
    rows[2] = ENGLISH.table[3]  # ##s
    table = quantize(rows) if as_int8 else Table(rows)
    made = without_repeated(Taught(with_fallback(ENGLISH, OWN, table), 4), ENGLISH)
    assert made.encoder.tokenizer.known[: made.own] == ("perro", "##s", "p")
    assert made.encoder.rows.is_int8 == as_int8
    assert made.encoder.encode(["rome"]).tobytes() == ENGLISH.encode(["rome"]).tobytes()
    for word in ("perro", "perros", "the"):
        before = with_fallback(ENGLISH, OWN, table).encode([word])
        assert made.encoder.encode([word]).tobytes() == before.tobytes()
    far = without_repeated(Taught(with_fallback(ENGLISH, OWN, ROWS), 4), ENGLISH)
    assert far.own == 4


def taught_file(path: Path) -> tuple[Tensors, dict[str, str]]:
    base = path.with_name("english.safetensors")
    save_encoder(base, ENGLISH)
    taught = {
        "es": Taught(with_fallback(ENGLISH, OWN, ROWS), 4),
        "de": Taught(with_fallback(ENGLISH, OWN[:2], first_two()), 2),
    }
    save_taught(path, taught, str(base), loading.load_static(base))
    return read_tensors(path, ())


def first_two() -> Table:
    return Table(ROWS.values[:2], ROWS.scale[:2])


def test_several_taught_languages_in_a_file(path: Path) -> None:
    taught_file(path)
    model = load_multilingual(path)
    assert model.languages == ("en", "es", "de")
    for code, own, rows in (("es", OWN, ROWS), ("de", OWN[:2], first_two())):
        expected = with_fallback(ENGLISH, own, rows)
        assert model.of(code).tokenizer.known == expected.tokenizer.known
        assert model.of(code).table.tobytes() == expected.table.tobytes()
    assert model.of("en").table.tobytes() == ENGLISH.table.tobytes()
    with pytest.raises(DataError, match="name the language, .*: en, es, de"):
        load(path)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda tensors, _: tensors.pop("de.words"), r"without \['de.words'\]"),
        (
            lambda tensors, _: tensors.update({"es.words": pack(["a", "b"])}),
            "damaged .2 words do not fit 4 rows",
        ),
        (
            lambda _, about: about.update(start="other"),
            "damaged .it extends other .* vectors than those here",
        ),
    ],
)
def test_a_damaged_taught_file_is_refused(damage: Any, message: str, path: Path) -> None:
    tensors, about = taught_file(path)
    damage(tensors, about)
    path.write_bytes(to_bytes(tensors, about))
    with pytest.raises(DataError, match=rf"model\.safetensors: .*{message}"):
        load_multilingual(path)


def test_a_row_is_scaled_by_its_share_of_both_sides() -> None:
    bitext = Bitext(("en", "es"), [("a dog", "un perro"), ("a cat", "un gato")])
    words = WordTokenizer(["a", "un", "dog", "perro", "never"], 1)
    table = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    start = Multilingual(dict.fromkeys(("en", "es"), Encoder(words, table)))
    scaled = scaled_by_frequency(start, [bitext], 0.1)
    assert scaled.of("en") is scaled.of("es")
    # Of eight running words "a" and "un" are two each, "dog" and "perro" one, unknown ones two.
    expected = 0.1 / (0.1 + np.array([2, 2, 1, 1, 0, 2]) / 8)
    lengths = [np.linalg.norm(e.of("en").table, axis=1) for e in (scaled, start)]
    np.testing.assert_allclose(lengths[0] / lengths[1], expected, rtol=0.01)  # rounded to int8
    directions = np.einsum("nd,nd->n", scaled.of("en").table, start.of("en").table)
    np.testing.assert_allclose(directions / lengths[0] / lengths[1], 1, atol=1e-3)
