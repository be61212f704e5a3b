"""What docs/vectors.md says of other libraries is so."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings.cli.export import export as export_command
from semaniacs.embeddings.encoder import Encoder, cosine
from semaniacs.embeddings.loading import load_static
from semaniacs.runs.pipeline.fitted_heads import StaticCosine
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.recipes import RUNS
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import StsError

os.environ["HF_HUB_OFFLINE"] = "1"

NAME = "paragram-small"
SENTENCES = ["A dog runs in the park.", "Stocks fell on Friday.", "", "zyxqy"]
pytestmark = pytest.mark.xdist_group("compatibility")  # one worker opens them all


@pytest.fixture(scope="module")
def ours() -> Encoder:
    return load_static(NAME)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("exported")

    def export(target: str) -> Path:
        line = [NAME, "-o", str(folder / target), "--format", target]
        export_command.main(line, standalone_mode=False)
        return folder / target

    return export


@pytest.fixture(scope="module")
def transformer(exported: Callable[[str], Path]) -> Any:
    library = pytest.importorskip("sentence_transformers")
    return library.SentenceTransformer(str(exported("sentence-transformers")), device="cpu")


def test_sentence_transformers_vectors_and_shapes(ours: Encoder, transformer: Any) -> None:
    expected = transformer.encode(SENTENCES)
    found = ours.encode(SENTENCES)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    assert ours.encode("A dog.").shape == transformer.encode("A dog.").shape == (ours.dim,)
    assert np.linalg.norm(expected[0]) < 0.9


def test_a_cut_vector_is_scaled_after_the_cut(ours: Encoder, transformer: Any) -> None:
    expected = transformer.encode(SENTENCES[:2], truncate_dim=8, normalize_embeddings=True)
    found = ours.encode(SENTENCES[:2], truncate_dim=8, normalize=True)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1)


def test_nothing_and_what_is_missing(ours: Encoder, transformer: Any) -> None:
    assert (transformer.encode([]).shape, transformer.encode([]).dtype) == ((0,), np.float64)
    assert (ours.encode([]).shape, ours.encode([]).dtype) == ((0, ours.dim), np.float32)
    for bad in (None, 1):
        with pytest.raises(TypeError):
            transformer.encode(["a", bad])
        with pytest.raises(StsError, match=r"sentences\[1\]"):
            ours.encode(["a", bad])


def test_similarities(ours: Encoder, transformer: Any) -> None:
    vectors = transformer.encode(SENTENCES)
    expected, found = transformer.similarity(vectors, vectors), ours.similarity(vectors, vectors)
    assert type(expected).__name__ == "Tensor" and isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-6)
    np.testing.assert_allclose(ours.similarity(SENTENCES, SENTENCES), found, atol=1e-6)
    assert (found[2] == 0).all() and (expected[2] == 0).all()
    pairs = ours.similarity_pairwise(vectors, vectors[::-1])
    assert pairs.dtype == np.float64
    expected = transformer.similarity_pairwise(vectors, vectors[::-1].copy())
    assert str(expected.dtype) == "torch.float32"
    np.testing.assert_allclose(pairs, expected.numpy(), atol=1e-6)


@pytest.fixture(scope="module")
def static(exported: Callable[[str], Path]) -> Any:
    library = pytest.importorskip("model2vec")
    return library.StaticModel.from_pretrained(exported("model2vec"))


@pytest.fixture(scope="module")
def whole(ours: Encoder) -> Encoder:
    """Ours without the limit, which model2vec has no place for."""
    return Encoder(ours.tokenizer, ours.rows)


def test_model2vec_has_the_same_vectors_but_for_the_limit(
    ours: Encoder, whole: Encoder, static: Any
) -> None:
    found, theirs = whole.encode(SENTENCES), static.encode(SENTENCES)
    np.testing.assert_allclose(found, theirs, rtol=0, atol=1e-6)
    assert ours.limit is not None and np.abs(theirs).max() > ours.limit
    cut = np.clip(theirs, -ours.limit, ours.limit)
    np.testing.assert_allclose(ours.encode(SENTENCES), cut, rtol=0, atol=1e-6)
    assert (found[2] == 0).all()
    np.testing.assert_allclose(
        whole.encode(SENTENCES, normalize=True), static.encode(SENTENCES, normalize=True), atol=1e-6
    )
    assert not hasattr(static, "similarity")
    with pytest.raises(ValueError, match="need at least one array"):
        static.encode([])


def test_a_long_text_is_read_to_its_end(whole: Encoder, static: Any) -> None:
    text = "cat " * 600 + "dog " * 600
    found = whole.encode(text)
    assert np.abs(found - static.encode(text, max_length=512)).max() > 0.01
    halves = (whole.encode("cat") + whole.encode("dog")) / 2
    np.testing.assert_allclose(found, halves, atol=1e-5)


def test_a_cosine_below_zero_scores_zero_and_a_zero_vector_too(ours: Encoder) -> None:
    pairs = Pairs(
        "p", ("A dog runs.", "A dog."), ("The meeting was moved to Friday.", ""), np.full(2, np.nan)
    )
    assert ours.similarity_pairwise(pairs.left, pairs.right)[0] < 0
    assert Model(RUNS["raw"], StaticCosine(ours, NAME)).predict(pairs).tolist() == [0, 0]
    assert cosine(np.zeros((1, 2)), np.ones((1, 2))) == [0]
