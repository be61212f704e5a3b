"""A matrix to scores: fitting, missing values, files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as save_tensors

from semaniacs.features.regressors.ensemble import Boosting, Ensemble
from semaniacs.features.regressors.fitted import OneColumn
from semaniacs.features.regressors.saved_ensemble import load_ensemble, save_ensemble
from semaniacs.sts.errors import DataError
from semaniacs.sts.tensors import inflate, read_tensors, seal

COLUMNS = ("first", "second", "never here", "fourth", "fifth")
KINDS = ("sklearn", "lightgbm", "blend")
EACH = pytest.mark.parametrize("regressor", KINDS)
BOOSTED = pytest.mark.parametrize("regressor", ["sklearn", "lightgbm"])


def data(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Five columns, the third without a value; the gold follows the first two."""
    rng = np.random.default_rng(seed)
    matrix = rng.random((n, 5))
    gold = np.clip(4 * matrix[:, 0] + 2 * matrix[:, 1] - 0.5, 0, 5)
    matrix[:, 2] = np.nan
    return matrix, gold


TRAINING, GOLD = data(150, seed=0)
UNSEEN, UNSEEN_GOLD = data(60, seed=1)


def part(regressor: Any, seed: int = 0) -> Any:
    return Boosting(
        regressor, n_estimators=12, learning_rate=0.3, min_samples_leaf=5, random_state=seed
    )


def make(regressor: str, seed: int = 0) -> Ensemble:
    """A fusion of one kind, or of all the third used column blended in."""
    if regressor == "blend":
        return Ensemble([part(kind, seed) for kind in KINDS[:-1]], anchors=(3,), blend_weight=0.4)
    return Ensemble([part(regressor, seed)])


@pytest.fixture(scope="module")
def fitted() -> dict[str, Ensemble]:
    return {name: make(name).fit(TRAINING, GOLD) for name in KINDS}


@pytest.fixture(params=KINDS)
def fusion(request: pytest.FixtureRequest, fitted: dict[str, Ensemble]) -> Ensemble:
    return fitted[request.param]


# Fit and predict


def test_it_learns(fusion: Ensemble) -> None:
    predicted = fusion.predict(UNSEEN)
    assert predicted.dtype == np.float64
    assert np.corrcoef(predicted, UNSEEN_GOLD)[0, 1] > 0.8


def test_several_regressors_have_their_mean(fitted: dict[str, Ensemble]) -> None:
    both = Ensemble([part("sklearn"), part("lightgbm")]).fit(TRAINING, GOLD).predict(UNSEEN)
    mean = np.mean([fitted[name].predict(UNSEEN) for name in ("sklearn", "lightgbm")], axis=0)
    inside = (mean > 0.5) & (mean < 4.5)
    np.testing.assert_allclose(both[inside], mean[inside], rtol=0, atol=1e-9)


def test_the_mean_of_two_anchors_is_blended_in() -> None:
    one, other, both = (
        Ensemble([part("sklearn")], anchors=anchors, blend_weight=1.0).fit(TRAINING, GOLD).fitted_
        for anchors in ((0,), (3,), (3, 0))
    )
    rows = UNSEEN[:, [0, 1, 3, 4]]
    lines = [np.polyval(np.polyfit(TRAINING[:, k], GOLD, 1), UNSEEN[:, k]) for k in (0, 3)]
    expected = (both.parts[0].scorer.predict(rows) + np.mean(lines, axis=0)) / 2
    np.testing.assert_allclose(both.predict(UNSEEN), np.clip(expected, 0, 5), atol=1e-12)
    inside = (expected > 0) & (expected < 5)
    mean = (one.predict(UNSEEN) + other.predict(UNSEEN)) / 2
    np.testing.assert_allclose(both.predict(UNSEEN)[inside], mean[inside], atol=0.05)


@BOOSTED
def test_predictions_stay_on_the_scale(regressor: str) -> None:
    # steep boosting overshoots where the gold jumps from 0 to 5
    gold = np.where(TRAINING[:, 0] + TRAINING[:, 1] > 1, 5.0, 0.0)
    steep = Boosting(regressor, n_estimators=12, learning_rate=0.9, min_samples_leaf=5)
    fusion = Ensemble([steep]).fit(TRAINING, gold)
    raw = fusion.fitted_.parts[0].scorer.predict(TRAINING[:, [0, 1, 3, 4]])
    assert raw.min() < 0
    assert raw.max() > 5
    np.testing.assert_array_equal(fusion.predict(TRAINING), np.clip(raw, 0, 5))


def test_a_missing_value_becomes_the_training_median(fusion: Ensemble) -> None:
    absent, replaced = UNSEEN.copy(), UNSEEN.copy()
    absent[::2, 0] = np.nan
    absent[:, 3] = np.nan
    replaced[::2, 0] = np.median(TRAINING[:, 0])
    replaced[:, 3] = np.median(TRAINING[:, 3])
    np.testing.assert_array_equal(fusion.predict(absent), fusion.predict(replaced))


def test_a_missing_value_at_training_leaves_the_median_to_the_others() -> None:
    matrix = np.array([[1.0], [np.nan], [2.0], [9.0]])
    fusion = Ensemble([Boosting(n_estimators=1, min_samples_leaf=1)]).fit(matrix, np.arange(4.0))
    assert fusion.fitted_.medians == [2.0]
    assert fusion.fitted_.reference == [2.0]


@EACH
def test_a_column_without_any_value_is_left_out(
    fitted: dict[str, Ensemble], regressor: str
) -> None:
    fusion = fitted[regressor]
    assert list(fusion.fitted_.used) == [0, 1, 3, 4]
    present = UNSEEN.copy()
    present[:, 2] = 1e9
    np.testing.assert_array_equal(fusion.predict(present), fusion.predict(UNSEEN))
    narrow = make(regressor)
    narrow.set_params(anchors=narrow.anchors and (2,))
    narrow.fit(np.delete(TRAINING, 2, axis=1), GOLD)
    np.testing.assert_array_equal(
        narrow.predict(np.delete(UNSEEN, 2, axis=1)), fusion.predict(UNSEEN)
    )


def test_importances_are_the_mean_over_the_trees(fitted: dict[str, Ensemble]) -> None:
    trees = [fitted[name].fitted_.importances for name in ("sklearn", "lightgbm")]
    np.testing.assert_allclose(fitted["blend"].fitted_.importances, np.mean(trees, axis=0))


@EACH
def test_the_seed_decides(fitted: dict[str, Ensemble], regressor: str) -> None:
    expected = fitted[regressor].predict(UNSEEN)
    again = make(regressor).fit(TRAINING, GOLD)
    np.testing.assert_array_equal(again.predict(UNSEEN), expected)
    other = make(regressor, seed=1).fit(TRAINING, GOLD)
    assert (other.predict(UNSEEN) != expected).any()


# Files


def test_a_saved_fusion_predicts_the_same(fusion: Ensemble, tmp_path: Path) -> None:
    path = tmp_path / "deep" / "fusion.safetensors"
    save_ensemble(path, fusion.fitted_, COLUMNS)
    loaded, columns = load_ensemble(path)
    assert columns == COLUMNS
    absent = UNSEEN.copy()
    absent[::3, 1] = np.nan
    for matrix in (TRAINING, UNSEEN, absent):
        np.testing.assert_array_equal(loaded.predict(matrix), fusion.predict(matrix))
    np.testing.assert_array_equal(loaded.importances, fusion.fitted_.importances)
    with pytest.raises(ValueError, match="6 features, but Ensemble is expecting 5"):
        loaded.predict(np.ones((2, 6)))


def test_a_loaded_booster_is_lightgbms(fitted: dict[str, Ensemble], tmp_path: Path) -> None:
    from lightgbm import Booster

    ours, theirs = tmp_path / "fusion.safetensors", tmp_path / "model.txt"
    save_ensemble(ours, fitted["lightgbm"].fitted_, COLUMNS)
    tensors, _ = read_tensors(ours, ())
    theirs.write_bytes(inflate(tensors)["0.text"].tobytes())
    expected = np.asarray(Booster(model_file=theirs).predict(UNSEEN[:, [0, 1, 3, 4]]))
    loaded, _ = load_ensemble(ours)
    np.testing.assert_array_equal(loaded.predict(UNSEEN), np.clip(expected, 0, 5))


def rewrite(path: Path, tensors: dict[str, Any], metadata: dict[str, str]) -> None:
    path.write_bytes(save_tensors(tensors, metadata))


@pytest.fixture(params=["sklearn", "blend"])
def saved(request: pytest.FixtureRequest, fitted: dict[str, Ensemble], tmp_path: Path) -> Path:
    path = tmp_path / "fusion.safetensors"
    save_ensemble(path, fitted[request.param].fitted_, COLUMNS)
    return path


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.999])
def test_half_a_file(saved: Path, share: float) -> None:
    raw = saved.read_bytes()
    saved.write_bytes(raw[: int(len(raw) * share)])
    with pytest.raises(DataError, match="fusion.safetensors: damaged"):
        load_ensemble(saved)


def test_changed_numbers(saved: Path) -> None:
    tensors, metadata = read_tensors(saved, ())
    for name, tensor in tensors.items():
        changed = tensor.copy()
        changed.view(np.uint8).reshape(-1)[-1] ^= 1
        rewrite(saved, tensors | {name: changed}, metadata)
        with pytest.raises(DataError, match="sha256"):
            load_ensemble(saved)
    rewrite(saved, tensors | {"9.rows": np.ones(1)}, metadata)
    with pytest.raises(DataError, match="sha256"):
        load_ensemble(saved)


@EACH
def test_equal_gold_scores(regressor: str) -> None:
    fusion = make(regressor).fit(TRAINING, np.full(150, 3.5))
    np.testing.assert_allclose(fusion.predict(UNSEEN), 3.5, atol=1e-6)
    assert not fusion.fitted_.importances.any()


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.safetensors: no such file"):
        load_ensemble(tmp_path / "none.safetensors")


def test_a_file_without_one_of_its_parts(saved: Path) -> None:
    tensors, metadata = read_tensors(saved, ())
    for name in tensors:
        rewrite(saved, {k: v for k, v in tensors.items() if k != name}, metadata)
        with pytest.raises(DataError, match=r"fusion\.safetensors"):
            load_ensemble(saved)
    for name in metadata:
        rewrite(saved, tensors, {k: v for k, v in metadata.items() if k != name})
        with pytest.raises(DataError, match=f"{name}|sha256"):
            load_ensemble(saved)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("format", "999", "'999'.* expected format"),
        ("parts", "[]", "not a whole fitted ensemble"),
        ("parts", "{", "not a whole fitted ensemble"),
        ("parts", '[{"kind": "Oracle"}]', "not a whole fitted ensemble"),
        ("parts", '[{"kind": "Oracle", "options": {}}]', "not a whole .*Oracle"),
    ],
)
def test_metadata_of_something_else(saved: Path, name: str, value: str, said: str) -> None:
    tensors, metadata = read_tensors(saved, ())
    del metadata["sha256"]
    rewrite(saved, tensors, seal(tensors, metadata | {name: value}))
    with pytest.raises(DataError, match=said):
        load_ensemble(saved)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ({"used": np.zeros(4)}, "used is float64"),
        ({"medians": np.full(4, np.nan)}, "medians of shape"),
        ({"anchors": (9,)}, "a column that is not among the 5"),
        ({"anchored": (OneColumn(9, np.zeros(1), np.zeros(1)),)}, "column 9 of 4"),
        ({"anchored": (OneColumn(0, np.zeros(2), np.zeros(1)),)}, "coef is float64"),
        ({"anchored": (OneColumn(0, np.full(1, np.nan), np.zeros(1)),)}, "NaN or infinite"),
    ],
)
def test_parts_that_do_not_fit_each_other_are_refused(
    fitted: dict[str, Ensemble], damage: dict[str, Any], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        replace(fitted["blend"].fitted_, **damage).check()
