"""Importance: five measures against the libraries' own, whatever the order of the columns."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from runs.pipeline.ensemble_run import Regressor
from scipy.stats import spearmanr

from features.regressors.boosting import Boosting
from runs.pipeline.run import Run
from runs.studies import __main__ as command
from runs.studies.contribution import importance
from runs.studies.contribution.importance import (
    Importances,
    measure_importance,
    most_correlated,
    spearman_matrix,
)
from runs.studies.contribution.outputs import IMPORTANCE_HEADER
from runs.studies.contribution.study import Study
from runs.studies.ledger import Ledger
from tests.runs.made_files import PNG
from tests.runs.made_studies import COLUMNS, INFORMATIVE, make_study, with_column, with_order

Measure = Callable[..., Importances]
TABLES = ("importance.csv", "importance.json", "correlation.csv")
FILES = {*TABLES, "importance.png", "correlation.png", "importance.jsonl"}


@pytest.fixture(autouse=True)
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Boosters that are fitted in a blink."""
    monkeypatch.setattr(importance, "BOOSTER", Boosting(n_estimators=20, learning_rate=0.2))


@pytest.fixture
def measure(tmp_path: Path) -> Measure:
    """Measure with nothing in the ledger."""
    count = itertools.count()

    def call(study: Study, jobs: int = 1) -> Importances:
        return measure_importance(study, Ledger(tmp_path / f"{next(count)}.jsonl"), jobs)

    return call


# --- what is measured


@pytest.mark.parametrize("regressor", ["sklearn", "lightgbm"])
def test_the_informative_column_comes_first(regressor: str, measure: Measure) -> None:
    found = measure(make_study(regressor))
    rows = found.rows
    assert {row.feature for row in rows} == set(COLUMNS)
    for name in ("gini", "gain", "splits"):
        shares = [getattr(row, name) for row in rows]
        assert sum(shares) == pytest.approx(1)
        assert min(shares) >= 0
    assert [row.gini for row in rows] == sorted((row.gini for row in rows), reverse=True)
    assert (rows[0].feature, rows[0].group) == ("content_1gram", "ngrams")
    assert rows[0].gini > 0.7
    assert rows[0].gain > 0.7
    assert rows[0].permutation > 0.5
    assert 0 < rows[0].spread < 0.3
    assert all(len(row.losses) == importance.REPEATS for row in rows)
    assert all(abs(row.permutation) < 0.05 for row in rows[1:])
    assert found.whole > 0.95


@pytest.mark.parametrize("regressor", ["sklearn", "lightgbm", "blend"])
def test_the_order_of_the_columns_does_not_matter(regressor: str, measure: Measure) -> None:
    study = make_study(regressor)
    found = measure(study)
    for seed in range(3):
        order = tuple(np.random.default_rng(seed).permutation(COLUMNS).tolist())
        other = measure(with_order(study, order))
        assert other.rows == found.rows
        assert other.whole == found.whole
        assert other.features == found.features
        np.testing.assert_array_equal(other.correlation, found.correlation)


def test_two_processes_find_what_one_finds(
    monkeypatch: pytest.MonkeyPatch, measure: Measure
) -> None:
    monkeypatch.undo()  # other processes would not see few trees
    one, two = measure(make_study("blend"), 1), measure(make_study("blend"), 2)
    assert one.rows == two.rows
    assert one.whole == two.whole


def test_shuffling_leaves_the_study_as_it_was(measure: Measure) -> None:
    study = make_study()
    before = study.digest
    measure(study)
    assert replace(study).digest == before


def test_another_seed_shuffles_otherwise(measure: Measure) -> None:
    study = make_study()
    other = measure(replace(study, run=study.run.with_seed(1)))
    assert other.rows[0].losses != measure(study).rows[0].losses


def test_a_column_of_one_value_is_worth_nothing(measure: Measure) -> None:
    for value in (0.5, np.nan):
        found = measure(with_column(make_study(), "det_1", value))
        (row,) = (row for row in found.rows if row.feature == "det_1")
        assert (row.gini, row.gain, row.splits, row.nearest) == (0, 0, 0, "")
        assert set(row.losses) == {0.0}
        assert np.isnan(row.correlation)
        assert all(other.nearest != "det_1" for other in found.rows)


# --- what is kept


def test_what_is_finished_is_not_done_again(
    tmp_path: Path, measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, path = make_study(), tmp_path / "ledger.jsonl"
    found = measure_importance(study, Ledger(path))
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(importance, "each", None)  # nothing can be computed
        patch.setattr("runs.studies.ledger.each", None)
        again = measure_importance(study, Ledger(path))
    assert again.rows == found.rows
    assert again.whole == found.whole
    path.write_bytes(before[:-9])
    again = measure_importance(study, Ledger(path))
    assert again.rows == found.rows
    assert path.read_bytes() == before
    changed = with_column(study, "det_1", 0.5)
    assert measure_importance(changed, Ledger(path)).rows == measure(changed).rows


def test_what_was_stopped_goes_on_where_it_was(
    tmp_path: Path, measure: Measure, monkeypatch: pytest.MonkeyPatch
) -> None:
    study, path, done = make_study(), tmp_path / "ledger.jsonl", []
    losses = importance.losses_of

    def stopped(*arguments: Any) -> Any:
        if len(done) == 3:
            raise KeyboardInterrupt
        done.append(arguments[-1])
        return losses(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(importance, "losses_of", stopped)
        with pytest.raises(KeyboardInterrupt):
            measure_importance(study, Ledger(path))

    def counted(*arguments: Any) -> Any:
        done.append(arguments[-1])
        return losses(*arguments)

    monkeypatch.setattr(importance, "losses_of", counted)
    found = measure_importance(study, Ledger(path))
    assert sorted(done) == sorted(COLUMNS)
    assert found.rows == measure(study).rows


# --- next to the libraries


def test_gini_is_scikit_learns() -> None:
    from sklearn.ensemble import GradientBoostingRegressor

    study = make_study()
    use = importance.booster_shares(study.training, study.gold, 3, "sklearn")
    model = GradientBoostingRegressor(
        n_estimators=20,
        learning_rate=0.2,
        max_depth=4,
        min_samples_leaf=20,
        subsample=0.5,
        max_features=0.3,
        random_state=3,
    ).fit(study.training, study.gold)
    np.testing.assert_allclose(use["gain"], model.feature_importances_, rtol=1e-12)
    trees = [tree.tree_ for tree in model.estimators_[:, 0]]
    counted = [sum((tree.feature == i).sum() for tree in trees) for i in range(len(COLUMNS))]
    np.testing.assert_allclose(use["splits"], np.array(counted) / sum(counted))


@pytest.mark.parametrize(("kind", "name"), [("gain", "gain"), ("split", "splits")])
def test_gain_and_splits_are_lightgbms(kind: str, name: str) -> None:
    from lightgbm import LGBMRegressor

    study = make_study()
    use = importance.booster_shares(study.training, study.gold, 3, "lightgbm")
    model = LGBMRegressor(
        n_estimators=20,
        learning_rate=0.2,
        max_depth=4,
        num_leaves=16,
        min_child_samples=20,
        subsample=0.5,
        subsample_freq=1,
        colsample_bytree=0.3,
        random_state=3,
        deterministic=True,
        force_row_wise=True,
        n_jobs=1,
        verbose=-1,
    ).fit(study.training, study.gold)
    expected = model.booster_.feature_importance(kind)
    np.testing.assert_allclose(use[name], expected / expected.sum(), rtol=1e-6)


def test_a_gold_of_one_value_is_split_nowhere() -> None:
    study = make_study()
    for library in ("sklearn", "lightgbm"):
        use = importance.booster_shares(study.training, np.full(200, 2.5), 0, library)  # type: ignore[arg-type]
        assert not any(use["gain"])
        assert not any(use["splits"])


@pytest.mark.parametrize("regressor", ["sklearn", "lightgbm", "blend"])
def test_permutation_importance_is_scikit_learns(
    regressor: str, monkeypatch: pytest.MonkeyPatch, measure: Measure
) -> None:
    from sklearn.inspection import permutation_importance

    monkeypatch.setattr(importance, "REPEATS", 60)
    study = make_study(regressor)
    study = replace(
        study, test={"one": study.test["one"]}, test_gold={"one": study.test_gold["one"]}
    )
    columns = sorted(COLUMNS)
    rows = {row.feature: row for row in measure(study).rows}
    expected = permutation_importance(
        study.fit(columns),
        study.test["one"][:, study.places(columns)],
        study.test_gold["one"],
        scoring=lambda model, x, y: np.corrcoef(model.predict(x), y)[0, 1],
        n_repeats=60,
        random_state=0,
    )
    for place, name in enumerate(columns):
        error = 4 * (rows[name].spread + expected.importances_std[place]) / np.sqrt(60) + 1e-12
        assert abs(rows[name].permutation - expected.importances_mean[place]) < error
        assert rows[name].spread == pytest.approx(expected.importances_std[place], rel=0.5)


def test_shapley_values_of_a_linear_fusion_are_its_weights(measure: Measure) -> None:
    """Ridge alone is a weighted sum: a part is the weight times the distance from the median."""
    study = make_study()
    run = replace(study.run, regressors=(Regressor.of("ridge", alpha=1e-9),))  # type: ignore[call-arg]
    calm = {name: np.clip(matrix, 0.3, 0.7) for name, matrix in study.test.items()}  # no clipping
    study = replace(study, run=run, test=calm)
    columns = sorted(COLUMNS)
    places = study.places(columns)
    training, (weights, *_) = study.training[:, places], np.linalg.lstsq(
        np.column_stack([study.training[:, places], np.ones(len(study.gold))]), study.gold
    )  # fmt: skip
    pairs = np.vstack([matrix[:, places] for matrix in study.scored().test.values()])
    parts = (pairs - np.median(training, axis=0)) * weights[:-1]
    found = measure(study)
    for name, expected in zip(columns, parts.T, strict=True):
        (row,) = (row for row in found.rows if row.feature == name)
        assert row.shapley == pytest.approx(np.abs(expected).mean(), abs=1e-6)
    ngrams = [columns.index(name) for name in ("content_1gram", "content_2gram")]
    (group,) = (one for one in found.groups if one.group == "ngrams")
    assert group.shapley == pytest.approx(np.abs(parts[:, ngrams].sum(axis=1)).mean(), abs=1e-6)


def test_the_shares_of_the_groups_are_those_of_their_features(measure: Measure) -> None:
    found = measure(make_study())
    assert sum(one.features for one in found.groups) == len(COLUMNS)
    for name in ("gini", "gain", "splits"):
        assert sum(getattr(one, name) for one in found.groups) == pytest.approx(1)
    (best,) = (one for one in found.groups if one.group == found.rows[0].group)
    assert best == found.groups[0]


def test_correlation_is_scipys() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(80, 5))
    matrix[:, 1] = np.round(matrix[:, 0])  # with ties
    matrix[:, 2] = -np.exp(matrix[:, 0])
    found = spearman_matrix(matrix)
    np.testing.assert_allclose(found, spearmanr(matrix).statistic, atol=1e-12)
    assert found[0, 2] == pytest.approx(-1)
    close = most_correlated("abcde", found)
    assert (close["a"], close["c"]) == (("c", found[0, 2]), ("a", found[2, 0]))
    assert close["b"][0] in ("a", "c")


def test_a_constant_column_is_correlated_with_nothing() -> None:
    found = spearman_matrix(np.array([[1.0, 5, 2], [1, 6, 9], [1, 7, 3]]))
    assert np.isnan(found[0]).all()
    assert np.isnan(found[:, 0]).all()
    assert found[1, 2] == pytest.approx(0.5)
    assert most_correlated("abc", found)["a"][0] == ""
    assert most_correlated("abc", found)["b"][0] == "c"


def test_a_missing_value_is_the_median() -> None:
    matrix = np.array([[1.0, np.nan], [np.nan, np.nan], [2.0, np.nan], [9.0, np.nan]])
    np.testing.assert_array_equal(importance.fill(matrix), [[1, 0], [2, 0], [2, 0], [9, 0]])
    assert np.isnan(matrix[1, 0])


def test_unscored_pairs_take_no_part(measure: Measure) -> None:
    study = make_study()
    unlike = study.test["two"].copy()
    unlike[:10, INFORMATIVE] = 99.0  # of the pairs that nobody scored
    other = replace(study, test={**study.test, "two": unlike})
    assert measure(other).rows == measure(study).rows


# --- the command line


@pytest.fixture
def outcome(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, Path]:
    """What the command prints, and its folder."""
    return run_on(make_study(), tmp_path, cli, monkeypatch), tmp_path


def run_on(study: Study, folder: Path, cli: Any, monkeypatch: Any) -> str:
    """What the command prints for a study that is open already."""
    monkeypatch.setattr(command, "study_from", lambda _: (study, folder))
    ended = cli("--jobs", "1", main=command.importance)
    assert ended.code == 0, ended.err
    return str(ended.out)


def test_the_same_command_writes_the_same_bytes(
    outcome: tuple[str, Path], cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed, folder = outcome
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(before) == FILES
    assert all(raw.startswith(PNG) for name, raw in before.items() if name.endswith("png"))
    assert run_on(make_study(), folder, cli, monkeypatch) == printed
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_the_table_is_the_csv(outcome: tuple[str, Path]) -> None:
    printed, folder = outcome
    text = (folder / "importance.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert rows[0] == list(IMPORTANCE_HEADER)
    assert rows[1][0] == "content_1gram"
    assert len(rows) == 1 + len(COLUMNS)
    lines = [line.split() for line in printed.splitlines()]
    assert all(row in lines for row in rows)


def test_the_json_holds_every_repeat(outcome: tuple[str, Path], measure: Measure) -> None:
    _, folder = outcome
    content = json.loads((folder / "importance.json").read_text(encoding="utf-8"))
    study = make_study()
    found = measure(study)
    assert content["run_digest"] == study.run.digest
    assert content["inputs"] == study.digest
    assert content["weighted_mean"] == found.whole
    assert content["repeats"] == importance.REPEATS
    for shown, row in zip(content["features"], found.rows, strict=True):
        assert shown["feature"] == row.feature
        assert tuple(shown["losses"]) == row.losses
        assert shown["permutation"] == pytest.approx(np.mean(shown["losses"]))
        assert shown["nearest"] == row.nearest


def test_the_whole_matrix_of_correlations_is_kept(outcome: tuple[str, Path]) -> None:
    _, folder = outcome
    text = (folder / "correlation.csv").read_text(encoding="utf-8")
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    assert header[1:] == [row[0] for row in rows]
    assert sorted(header[1:]) == sorted(COLUMNS)
    study = make_study()
    expected = spearmanr(study.training[:, study.places(header[1:])]).statistic
    values = np.array([[float(cell) for cell in row[1:]] for row in rows])
    np.testing.assert_allclose(values, expected, atol=6e-5)


def test_what_is_undefined_is_null(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_study()
    study = replace(study, test_gold={n: np.full(len(g), 2.0) for n, g in study.test_gold.items()})
    run_on(with_column(study, "det_1", np.nan), tmp_path, cli, monkeypatch)
    content = json.loads((tmp_path / "importance.json").read_text(encoding="utf-8"))
    assert content["weighted_mean"] is None
    (row,) = (row for row in content["features"] if row["feature"] == "det_1")
    assert row["permutation"] is None
    assert row["nearest"] is None
    assert row["correlation"] is None


def test_a_toy_run_is_weighed_from_the_files(
    toy: Any, toy_runs: dict[str, Run], cli: Any, tmp_path: Path
) -> None:
    where = ("--run", "toy-fusion", "--task", "toy", "--data", toy.data, "--jobs", "1")
    ended = cli(*where, "--output", tmp_path, main=command.importance)
    assert ended.code == 0, ended.err
    folder = tmp_path / "toy" / "toy-fusion"
    assert {path.name for path in folder.iterdir()} == FILES | {"matrices.safetensors"}
