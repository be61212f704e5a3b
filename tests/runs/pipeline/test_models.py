"""A fitted run: as many scores as pairs, in their order, from 0 to 5."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.features.registry import FeatureColumns
from semaniacs.features.regressors.ensemble import Boosting, Ensemble
from semaniacs.features.resources import Resources
from semaniacs.runs.pipeline.fitted_heads import FittedColumns, StaticCosine
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.run import Run
from semaniacs.sts.data.pairs import HIGHEST_OF_OTHERS
from semaniacs.sts.errors import StsError
from tests.runs.made_files import pairs_of

VECTORS = {"cat": (1.0, 0.0), "dog": (0.6, 0.8), "ship": (0.0, 1.0), "void": (-1.0, 0.0)}
ENCODER = Encoder(WordTokenizer(VECTORS, 1), np.array([*VECTORS.values(), (0.0, 0.0)], np.float32))


def cosine(encoder: Encoder) -> Model:
    return Model(Run("mine", "a test"), StaticCosine(encoder, "paragram"))


def predict(*rows: tuple[str, str]) -> Sequence[float]:
    return cosine(ENCODER).predict(pairs_of(*rows)).tolist()


@pytest.mark.parametrize(
    ("left", "right", "score"),
    [
        ("cat", "cat", 5.0),
        ("Cat!", "a cat", 4.99),  # an unknown word is the zero vector here
        ("cat", "dog", 3.0),
        ("dog", "ship", 4.0),
        ("cat", "ship", 0.0),
        ("cat", "void", 0.0),  # cosine -1: there is nothing below unrelated
        ("cat", "unknown", 0.0),
        ("cat void", "cat", 0.0),
    ],
)
def test_the_score_is_five_times_the_cosine_clipped(left: str, right: str, score: float) -> None:
    assert predict((left, right), (right, left)) == pytest.approx([score, score], abs=1e-6)


def test_no_score_leaves_the_scale() -> None:
    rng = np.random.default_rng(0)
    table = rng.standard_normal((51, 3)).astype(np.float32) * 1e4
    words = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(50)]
    encoder = Encoder(WordTokenizer(words, 1), table)
    pairs = pairs_of(*((a, b) for a in words for b in words))
    scores = cosine(encoder).predict(pairs)
    assert scores.dtype == np.float64
    assert scores.shape == (2500,)
    assert ((scores >= 0) & (scores <= 5)).all()


def test_a_fusion_scores_the_row_of_each_pair() -> None:
    columns = ("paraphrase1", "number_match", "relative_len_difference")
    extractor = FeatureColumns(columns, Resources({"paraphrase1": ENCODER}))
    rows = [(a, f"{b} {c}") for a in VECTORS for b in VECTORS for c in ("7", "and 8")]
    pairs = pairs_of(*rows)
    matrix = extractor.compute(pairs)
    gold = np.clip(5 * matrix[:, 0], 0, 5)
    fusion = Ensemble(
        [Boosting("sklearn", n_estimators=20, learning_rate=0.3, min_samples_leaf=2)]
    ).fit(matrix, gold)
    model = Model(Run("mine", "mine", columns=columns), FittedColumns(extractor, fusion.fitted_))
    scores = model.head.compare(pairs, None)
    np.testing.assert_array_equal(scores, fusion.predict(matrix))
    below = np.minimum(scores, HIGHEST_OF_OTHERS)  # no pair is of the same sentences
    np.testing.assert_array_equal(model.predict(pairs_of(*rows[::-1])), below[::-1])
    assert np.corrcoef(scores, gold)[0, 1] > 0.9
    assert len(model.predict(pairs_of())) == 0


def test_a_cosine_has_nothing_to_explain_itself_by() -> None:
    with pytest.raises(StsError, match="'mine' is a cosine alone and has no features"):
        cosine(ENCODER).explain(pairs_of(("cat", "dog")))
