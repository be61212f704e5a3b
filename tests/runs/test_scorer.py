"""The 0–5 score from Python."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import semaniacs
from semaniacs.runs.scorer import Scorer, load, score
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load as load_pairs
from semaniacs.sts.data.pairs import Pairs, concatenate
from semaniacs.sts.errors import DataError, StsError, UnknownNameError
from semaniacs.sts.scoring.cross_validation import FEWEST

DOG, DOGS, STOCKS = "A dog runs.", "A dog is running.", "Stocks fell on Friday."


@pytest.fixture(scope="module")
def fusion() -> Scorer:
    return load("fusion")


@pytest.fixture(scope="module")
def sample() -> Pairs:
    """The 200 English pairs of the sample."""
    english = [d for d in get_task("sample").datasets if d.languages == ("en",)]
    return concatenate([load_pairs(d, None) for d in english])


# Score


def test_two_strings_have_one_score(fusion: Scorer) -> None:
    near, far = fusion.score(DOG, DOGS), fusion.score(DOG, STOCKS)
    assert isinstance(near, float)
    assert 0 <= far < 1
    assert 4 < near <= 5
    assert score(DOG, DOGS, "fusion") == near
    assert score(DOG, DOGS) == load().score(DOG, DOGS) == load("contextual").score(DOG, DOGS)


def test_empty_cells_as_wanted(fusion: Scorer) -> None:
    left, right = [DOG, None, DOG], [DOGS, DOGS, " "]
    with pytest.raises(StsError, match=r"left\[1\] is empty or NaN; .* empty='nan'"):
        fusion.score(left, right)
    for refuse in (lambda: fusion.explain(left, right), lambda: fusion.fit(left, right, [1, 2, 3])):
        with pytest.raises(StsError, match=r"left\[1\] is empty or NaN; .*\. Leave the pair out$"):
            refuse()
    assert np.isnan(fusion.score(None, DOG, empty="nan"))  # type: ignore[call-overload]
    assert fusion.score(["None", "n/a"], ["None", "N/A!"], empty="zero").tolist() == [5, 5]
    with pytest.raises(StsError, match=r"right\[2\] is empty"):
        fusion.score([DOG] * 3, right)
    refused = "unknown value of empty 'skip'; choose one of: error, nan, zero"
    with pytest.raises(StsError, match=refused):
        fusion.score(left, right, empty="skip")  # type: ignore[call-overload]
    one = fusion.score(DOG, DOGS)
    np.testing.assert_array_equal(fusion.score(left, right, empty="nan"), [one, np.nan, np.nan])
    np.testing.assert_array_equal(fusion.score(left, right, empty="zero"), [one, 0, 0])


def test_sides_that_do_not_fit_are_refused(fusion: Scorer) -> None:
    with pytest.raises(StsError, match="1 left and 2 right sentences"):
        fusion.score([DOG], [DOG, DOGS])


@pytest.mark.parametrize("many", [list, tuple, iter, np.array])
def test_a_string_is_compared_with_each_of_many(fusion: Scorer, many: Any) -> None:
    others = [DOGS, STOCKS, DOG]
    expected = fusion.score([DOG] * 3, others).tolist()
    assert semaniacs.score(DOG, many(others), "fusion").tolist() == expected
    assert semaniacs.score(many(others), DOG, "fusion").tolist() == expected
    assert [found.score for found in fusion.explain(DOG, many(others[:1]))] == expected[:1]
    assert fusion.score(DOG, many([])).shape == (0,)
    with pytest.raises(StsError, match=r"right\[1\] is empty"):
        fusion.score(DOG, [DOGS, ""])


def test_eight_threads_get_what_one_gets(fusion: Scorer, sample: Pairs) -> None:
    parts = [slice(start, start + 25) for start in range(0, 200, 25)]
    expected = fusion.score(sample.left, sample.right)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda p: fusion.score(sample.left[p], sample.right[p]), parts))
    np.testing.assert_array_equal(np.concatenate(found), expected)


# Models


def test_the_hint_can_be_pasted_and_gives_the_same_score() -> None:
    bitext = load("multilingual")
    spanish, english = "Un perro corre en el parque.", "A dog runs in the park."
    with pytest.warns(UserWarning, match="languages identified: ") as told:
        unnamed = bitext.score(spanish, english)
    (warning,) = told
    assert str(warning.message).endswith('to name them yourself: languages=("es", "en")')
    assert bitext.score(spanish, english, languages=("es", "en")) == unnamed > 3.5
    with pytest.raises(StsError, match=r"languages='es'; give two, \(left, right\)"):
        bitext.score(spanish, english, languages="es")  # type: ignore[call-overload]


def test_a_warning_points_at_the_line_of_the_caller(fusion: Scorer) -> None:
    german = "Ein Hund läuft im Park."
    for give in (fusion.score, fusion.explain, score, semaniacs.score):
        with pytest.warns(UserWarning, match="not in English") as told:
            give(german, DOG)
        ours = [warning for warning in told if "not in English" in str(warning.message)]
        assert [warning.filename for warning in ours] == [__file__]


def test_a_script_that_a_model_of_english_cannot_read_is_told_once(fusion: Scorer) -> None:
    warning = (
        r"2 of 6 sentences are not in Latin script, such as 'Собака бежит\.'; fusion knows English "
        r'alone: try load\("multilingual"\), which reads Russian '
    )
    with pytest.warns(UserWarning, match=warning) as told:
        scores = fusion.score([DOG, "Собака бежит.", "Où est l'été ?"], [DOGS, "犬が走る。", DOG])
    assert len(told) == 1
    assert scores[0] == fusion.score(DOG, DOGS)
    with pytest.warns(UserWarning, match="1 of 2 sentences"):
        assert isinstance(fusion.score("Собака", DOG), float)
    load("multilingual").score("Собака бежит.", DOG, languages=("ru", "en"))


def test_models_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        UnknownNameError, match="unknown model 'fussion'.*raw.*or a folder. Did you mean 'fusion'"
    ):
        load("fussion")
    with pytest.raises(UnknownNameError, match="unknown model '3'"):
        load(cast(str, 3))
    with pytest.raises(DataError, match="no saved scorer"):
        load(tmp_path)
    with pytest.raises(StsError, match="'bitext-lstm' does not ship fitted; those that do: raw"):
        load("bitext-lstm")


def test_a_loaded_scorer_can_be_sent_to_a_process(fusion: Scorer) -> None:
    again = pickle.loads(pickle.dumps(fusion))
    assert again.score(DOG, DOGS) == fusion.score(DOG, DOGS)


# Explain


def test_what_is_unrelated_stays_near_0_after_fitting(
    fusion: Scorer, sample: Pairs, capsys: pytest.CaptureFixture[str]
) -> None:
    alike = sample.select(sample.gold >= 1.5)
    given = alike.left[:60], alike.right[:60], alike.gold[:60]
    fitted, calibration = fusion.fit(*given, folds=2), fusion.calibrate(*given)
    junk = "?", "I don't know", STOCKS
    assert max(fitted.score(DOG, text) for text in junk) < 1
    assert calibration.map is not None
    assert calibration.map(np.array([0.0, 0.1])).max() < 0.3
    assert "multiply" not in capsys.readouterr().err
    fusion.calibrate(*given[:2], given[2] / 5)
    assert "multiply gold from 0 to 1 by 5" in capsys.readouterr().err


def test_a_cosine_has_nothing_to_fit(sample: Pairs) -> None:
    raw = load("raw")
    with pytest.raises(StsError, match="has nothing to fit"):
        raw.fit(sample.left, sample.right, sample.gold)


# Fit


def test_own_pairs_are_learned_from(fusion: Scorer, sample: Pairs, tmp_path: Path) -> None:
    # What counts here is turned round: pairs that mean the same have 0.
    gold = 5 - sample.gold
    mine = fusion.fit(sample.left, sample.right, gold, folds=3)
    assert mine.report is not None
    assert (mine.report.pairs, mine.report.folds) == (len(sample), 3)
    assert mine.report.pearson > 0.3 > -0.3 > mine.report.pearson_before
    assert str(mine.report).startswith("200 pairs, 3 folds: Pearson 0.")
    assert mine.score(DOG, DOGS) < mine.score(DOG, STOCKS)
    with pytest.raises(TypeError, match="once it is saved"):
        pickle.dumps(mine)
    mine.save(tmp_path / "mine")
    again = load(tmp_path / "mine")
    np.testing.assert_array_equal(
        again.score(sample.left, sample.right), mine.score(sample.left, sample.right)
    )
    calibration = mine.calibrate(sample.left, sample.right, gold)
    again.interval(DOG, DOGS, calibration=calibration)
    with pytest.raises(StsError, match="a calibration of fusion fitted to pairs of one's own"):
        fusion.interval(DOG, DOGS, calibration=calibration)
    of_shipped = fusion.calibrate(sample.left, sample.right, sample.gold)
    with pytest.raises(StsError, match="a calibration of fusion, not of fusion fitted to pairs"):
        again.interval(DOG, DOGS, calibration=of_shipped)


def test_fitting_refuses_what_cannot_be_fitted(fusion: Scorer, sample: Pairs) -> None:
    with pytest.raises(StsError, match=r"gold\[0\] is 7"):
        fusion.fit([DOG], [DOGS], [7])
    with pytest.raises(StsError, match=f"2 pairs to fit to; expected {FEWEST} or more"):
        fusion.fit([DOG, DOG], [DOGS, STOCKS], [4, 1])
    with pytest.raises(StsError, match="every pair has the gold score 3"):
        fusion.calibrate(sample.left, sample.right, [3] * len(sample))
