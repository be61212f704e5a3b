"""A network over aligned words: what it is given, that it learns order, and its symmetry."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from embeddings.transformer.fine_tuning.aligned.aligned_encoder import (
    OWN,
    AlignedEncoder,
    initial_parameters,
    train_aligned,
)
from embeddings.transformer.fine_tuning.aligned.aligned_words import (
    SIGNS,
    STEPS,
    AlignedWords,
    align,
    signs_of,
)
from embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning
from embeddings.transformer.fine_tuning.tuning_configuration import AlignedTuning
from sts.errors import StsError
from sts.scoring.classification import roc_auc
from tests.embeddings.transformer.fine_tuning import tiny

pytestmark = pytest.mark.xdist_group("aligned")  # one worker trains

HOW = AlignedTuning(
    epochs=12, batch=16, learning_rate=3e-3, dropout=0.1, layers=(1, 3), width=16, heads=2
)


def exchanged_or_moved(n: int) -> tuple[list[str], list[str], np.ndarray]:
    """Four words, and the same with the inner two exchanged (gold 0) or as they were (1)."""
    rng, left, right = np.random.default_rng(1), [], []
    gold = rng.integers(0, 2, n).astype(np.float64)
    for same in gold:
        a, b, c, d = rng.permutation(tiny.KNOWN)[:4]
        left.append(f"{a} {b} {c} {d}")
        right.append(left[-1] if same else f"{a} {c} {b} {d}")
    return left, right, gold


LEFT, RIGHT, GOLD = exchanged_or_moved(96)


@pytest.fixture(scope="module")
def trained() -> AlignedEncoder:
    start = tiny.network()
    return train_aligned(start, AlignedWords.of(start, LEFT, RIGHT, HOW.layers), GOLD, HOW)


def test_equal_tokens_are_partners_before_close_ones() -> None:
    cosines = np.array([[0.2, 0.9], [0.8, 0.1]], np.float32)
    (left, right), (close, _) = align(np.array([7, 8]), np.array([7, 9]), cosines)
    assert left.tolist() == [0, 0]
    assert right.tolist() == [0, 0]
    np.testing.assert_allclose(close, [2.2, 0.8], rtol=1e-6)


def test_signs_say_where_a_partner_stands() -> None:
    found = signs_of(np.array([0, 2, 1]), np.array([2.5, 0.5, 3.0], np.float32), 3)
    assert found.shape == (3, SIGNS)
    np.testing.assert_allclose(found[1, :5], [-1 / 3, 1 / 3, 1 / 3, 0, 0.5], rtol=1e-6)
    np.testing.assert_allclose(found[2, :5], [1 / 3, 1 / 3, 2 / 3, 1, 1.0], rtol=1e-6)
    before, after = found[:, 5:].reshape(3, 2, -1).swapaxes(0, 1).argmax(axis=2) - STEPS
    assert before.tolist() == [1, 2, -1]  # the partner of what stands before the first is at -1
    assert after.tolist() == [2, -1, 2]


def test_a_batch_holds_each_word_beside_its_partner() -> None:
    words = AlignedWords.of(tiny.network(), ["aa bb"], ["bb aa cc"], (1, 3))
    mine, theirs, _, mask = words.batch(np.array([0]))
    assert mask.sum(axis=1).tolist() == [4, 5]  # with [CLS] and [SEP]
    np.testing.assert_array_equal(theirs[0, 1], mine[1, 2])  # aa
    np.testing.assert_array_equal(theirs[1, 1], mine[0, 2])  # bb
    assert mine.shape[2] == 2 * tiny.DIM


def test_it_learns_which_words_were_exchanged(trained: AlignedEncoder) -> None:
    left, right, gold = exchanged_or_moved(160)
    new = slice(96, None)
    start = AlignedEncoder(trained.network, [initial_parameters(2 * tiny.DIM, HOW)], HOW)
    assert roc_auc(gold[new], start.predict(left[new], right[new])) < 0.85
    assert roc_auc(gold[new], trained.predict(left[new], right[new])) > 0.95


def test_a_score_is_the_same_with_sides_exchanged_and_in_any_batch(
    trained: AlignedEncoder,
) -> None:
    found = trained.predict(LEFT, RIGHT)
    np.testing.assert_array_equal(found, trained.predict(RIGHT, LEFT))
    np.testing.assert_allclose(found[3:5], trained.predict(LEFT[3:5], RIGHT[3:5]), atol=1e-6)


def test_several_networks_score_by_their_mean(trained: AlignedEncoder) -> None:
    other = initial_parameters(2 * tiny.DIM, HOW)
    one, two, both = (
        AlignedEncoder(trained.network, parts, HOW).predict(LEFT[:5], RIGHT[:5])
        for parts in (trained.parts, [other], [*trained.parts, other])
    )
    np.testing.assert_allclose(both, (one + two) / 2, rtol=1e-6)


def test_it_is_trained_again_to_the_same_bytes_and_saved(
    tmp_path: Path, trained: AlignedEncoder
) -> None:
    start = tiny.network()
    again = train_aligned(start, AlignedWords.of(start, LEFT, RIGHT, HOW.layers), GOLD, HOW)
    assert again.digest == trained.digest
    save_tuning(tmp_path / "a", start, start, {OWN: again.parts[0]})
    assert AlignedEncoder(start, [load_tuning(tmp_path / "a", start)[1][OWN]], HOW).digest == (
        trained.digest
    )


def test_gold_of_one_value_is_refused() -> None:
    start = tiny.network()
    words = AlignedWords.of(start, ["aa", "bb"], ["cc", "dd"], (1, 3))
    with pytest.raises(StsError, match="all 2 pairs have the gold 0; expected"):
        train_aligned(start, words, np.zeros(2), HOW)
