"""The run of two encoders of several languages: the mean of what each says alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from runs.pipeline.fitting import check
from runs.pipeline.model import Model
from runs.recipes.by_name import get_run
from runs.recipes.crosslingual2026 import BITEXT_BOTH as BOTH
from sts.errors import StsError
from tests.runs.made_files import pairs_of

PAIRS = pairs_of(
    ("Un perro corre en el parque.", "A dog runs in the park."),
    ("El mercado cae.", "Ein Hund läuft."),
    ("", "A dog."),
)
LANGUAGES = ["es", "es", "en"], ["en", "de", "en"]


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.load(BOTH)


def test_a_score_is_the_weighted_mean_of_two(model: Model) -> None:
    one, other = (Model.load(get_run(name)) for name in ("bitext-teacher", "bitext-sp"))
    weight = BOTH.parts[1][1]
    expected = one.predict(PAIRS, LANGUAGES) + weight * other.predict(PAIRS, LANGUAGES)
    scores = model.predict(PAIRS, LANGUAGES)
    np.testing.assert_allclose(scores, expected / (1 + weight))
    assert scores[0] > 4
    assert 2 > scores[1] > scores[2] == 0


def test_languages_that_are_not_named_are_identified_once_for_both(model: Model) -> None:
    np.testing.assert_array_equal(model.predict(PAIRS)[:2], model.predict(PAIRS, LANGUAGES)[:2])
    assert model.languages == ("en", "es", "de", "fr", "ru")
    assert len(model.encoders) == 10


def test_it_ships_and_is_saved_with_both_files(model: Model, tmp_path: Path) -> None:
    assert BOTH.ships() and not BOTH.with_seed(7).ships()
    model.save(tmp_path)
    assert {"bitext-teacher.safetensors", "bitext-sp.safetensors"} <= {
        path.name for path in tmp_path.iterdir()
    }
    again = Model.load(BOTH, tmp_path).predict(PAIRS, LANGUAGES)
    np.testing.assert_array_equal(again, model.predict(PAIRS, LANGUAGES))


def test_another_seed_draws_both_anew_and_nobody_translates() -> None:
    drawn = BOTH.with_seed(3)
    assert [run.seed for run, _ in drawn.parts] == [3, 3]
    with pytest.raises(StsError, match="reads sentences as they are"):
        check(BOTH, "apertium")
