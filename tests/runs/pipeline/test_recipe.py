"""A run is its repr: two that differ in anything differ in their digest."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from embeddings.training.configuration import Training
from features.registry import get_feature
from features.regressors.boosting import Boosting
from features.regressors.extra_trees import ExtraTrees
from features.regressors.ridge import Ridge
from features.regressors.svr import SVR
from runs.pipeline.recipe import LARGEST_SEED, Regressor, RoundTrips, Run, Tuning, make_ensemble
from runs.recipes import ensemble2026, hokamp2016, wieting2019
from runs.recipes.registry import DEFAULT, RUNS, get_run
from sts.errors import StsError, UnknownNameError

TUNING = Tuning(Training(epochs=2))
BOOSTING = Regressor.of(Boosting())
RUN = Run(
    "mine",
    "a run of my own",
    fusion=(BOOSTING,),
    columns=hokamp2016.COLUMNS,
    paraphrases=(TUNING, replace(TUNING, round_trips=RoundTrips(Training()))),
)

CHANGES: list[dict[str, Any]] = [
    {"name": "yours"},
    {"about": "another"},
    {"start": "vectors.txt"},
    {"tuning": TUNING},
    {"fusion": None},
    {"fusion": (Regressor.of(Boosting(n_estimators=601)),)},
    {"fusion": (Regressor.of(Boosting("sklearn")),)},
    {"fusion": (BOOSTING, BOOSTING)},
    {"anchor": "cosine"},
    {"blend_weight": 0.5},
    {"echo": True},
    {"columns": RUN.columns[:-1]},
    {"columns": RUN.columns[::-1]},
    {"paraphrases": RUN.paraphrases[:1]},
    {"paraphrases": (replace(TUNING, strong=4.0), RUN.paraphrases[1])},
    {"paraphrases": (Tuning(Training(epochs=3)), RUN.paraphrases[1])},
    {"paraphrases": (TUNING, replace(TUNING, round_trips=RoundTrips(Training(), lowest=0.1)))},
    {"seed": 1},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_any_change_is_another_run(change: dict[str, Any]) -> None:
    changed = replace(RUN, **change)
    assert changed != RUN
    assert repr(changed) != repr(RUN)
    assert changed.digest != RUN.digest


def test_every_field_is_among_the_changes() -> None:
    assert {name for change in CHANGES for name in change} == {field.name for field in fields(Run)}


def test_equal_recipes_have_one_digest() -> None:
    again = replace(RUN)
    assert again is not RUN
    assert (again, again.digest, hash(again)) == (RUN, RUN.digest, hash(RUN))
    assert re.fullmatch("[0-9a-f]{64}", RUN.digest)


def test_a_run_cannot_be_changed_in_place() -> None:
    for record in (RUN, TUNING, TUNING.training, RoundTrips(Training()), BOOSTING):
        with pytest.raises(FrozenInstanceError):
            record.seed = 1  # type: ignore[attr-defined]


def test_a_tuning_is_known_by_what_makes_its_encoder() -> None:
    same = replace(RUN, name="yours", columns=("det_1",), fusion=None)
    assert same.tuning_digest(1) == RUN.tuning_digest(1)
    assert replace(RUN, tuning=TUNING).tuning_digest(1) == RUN.tuning_digest(1)
    others = {
        RUN.tuning_digest(2),
        RUN.with_seed(1).tuning_digest(1),
        replace(RUN, start="other").tuning_digest(1),
        replace(RUN, paraphrases=(replace(TUNING, strong=3.0),)).tuning_digest(1),
    }
    assert len(others) == 4
    assert RUN.tuning_digest(1) not in others


def test_what_a_run_needs_follows_from_its_tunings() -> None:
    raw = Run("raw", "untuned")
    assert (raw.tunings, raw.learns, raw.pivot) == ((), False, None)
    tuned = replace(raw, tuning=TUNING)
    assert (tuned.tunings, tuned.learns, tuned.pivot) == ((TUNING,), True, None)
    assert RUN.tunings == RUN.paraphrases
    assert RUN.pivot == "es"


@pytest.mark.parametrize("seed", [-1, LARGEST_SEED + 1])
def test_a_seed_that_the_libraries_cannot_take_is_refused(seed: int) -> None:
    with pytest.raises(StsError, match=f"--seed {seed}: expected a whole number from 0 to"):
        RUN.with_seed(seed)


def test_any_other_seed_is_taken() -> None:
    for seed in (0, LARGEST_SEED):
        assert RUN.with_seed(seed) == replace(RUN, seed=seed)


@pytest.mark.parametrize(
    "part",
    [Boosting("sklearn", 7, 0.3, 2, 5, 0.9, 0.8), ExtraTrees(5, 3, 0.5), SVR(2.0), Ridge(9.0)],
)
def test_the_regressor_of_a_recipe_is_made_whole(part: Any) -> None:
    recipe = Regressor.of(part)
    made = recipe.make(seed=11)
    assert type(made) is type(part)
    expected = part.get_params()
    assert made.get_params() == (
        expected | {"random_state": 11} if "random_state" in expected else expected
    )
    assert all(name in repr(recipe) for name in expected)


def test_a_fusion_is_anchored_where_its_column_is() -> None:
    run = replace(RUN, fusion=(Regressor.of(Ridge()),), anchor="b", blend_weight=0.5)
    for columns, anchor in ((("a", "b"), 1), (("b",), 0), (("a",), None)):
        fusion = make_ensemble(run, columns)
        assert (fusion.anchor, fusion.blend_weight) == (anchor, 0.5)


# --- those that come with the project


@pytest.mark.parametrize("run", RUNS.values(), ids=list(RUNS))
def test_a_shipped_run_is_well_formed(run: Run) -> None:
    assert get_run(run.name) is run
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", run.name)  # it is typed and stands in file names
    assert run.about
    assert "\n" not in run.about
    assert run.seed == 0
    assert len(set(run.columns)) == len(run.columns)
    for name in run.columns:
        get_feature(name)
    if run.fusion:
        wanted = [name for name in run.columns if name.startswith("paraphrase")]
        assert wanted == [f"paraphrase{n}" for n in range(1, len(run.tunings) + 1)]


def test_runs_have_their_own_names() -> None:
    assert len(RUNS) == len(hokamp2016.RUNS) + len(ensemble2026.RUNS) + len(wieting2019.RUNS)
    assert DEFAULT in RUNS
    assert {"raw", "task-internal", "synthetic", "fusion"} <= set(RUNS)


def test_the_fusion_rests_on_the_runs_that_stand_alone() -> None:
    fusion, internal, synthetic = map(get_run, ("fusion", "task-internal", "synthetic"))
    assert fusion.tuning_digest(1) == internal.tuning_digest(1)
    assert fusion.tuning_digest(2) == synthetic.tuning_digest(1)


def test_the_file_of_a_paper_shows_how_to_run_each() -> None:
    for paper in (hokamp2016, ensemble2026, wieting2019):
        for run in paper.RUNS:
            assert f"--run {run.name} " in (paper.__doc__ or "")


def test_an_unknown_run_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown run 'row'; choose one of: raw, "):
        get_run("row")
