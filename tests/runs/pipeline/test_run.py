"""A run is known by the fields of its recipe, but for prose."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from embeddings.training.configuration import CrossAttentionTuning, FineTuning, Training
from features.registry import get_feature
from features.regressors.conflicts import ConflictColumns
from features.regressors.ensemble import REGRESSORS, SVR, Boosting, ExtraTrees, Ridge
from features.regressors.fitted import REGRESSOR_KINDS
from runs import recipes
from runs.pipeline.reading import AS_IT_IS
from runs.pipeline.recipe_parts import (
    Cosine,
    Ensemble,
    GradedYears,
    Labelled,
    LabelsAsGrades,
    NetworkTuning,
    Regressor,
    RoundTrips,
    Tuning,
    Vectors,
)
from runs.pipeline.run import LARGEST_SEED, AnyRun, Run
from runs.recipes import by_name, ensemble2026, hokamp2016, wieting2019
from runs.recipes.by_name import DEFAULT, RUNS, get_run
from sts.errors import StsError, UnknownNameError

TUNING = Tuning(Training(epochs=2))
BOOSTING = Regressor.of("boosting", n_estimators=600)
HEAD = Ensemble((BOOSTING,))
PARAPHRASES = (TUNING, replace(TUNING, round_trips=RoundTrips(Training())))
VECTORS = Vectors(tunings=PARAPHRASES)
RUN = Run(
    "mine",
    "a run of my own",
    head=HEAD,
    columns=hokamp2016.COLUMNS,
    vectors=VECTORS,
    learns=GradedYears(),
)

CHANGES: list[dict[str, Any]] = [
    {"name": "yours"},
    {"head": Ensemble(())},
    {"head": Ensemble((Regressor.of("boosting", n_estimators=601),))},
    {"head": Ensemble((Regressor.of("boosting", library="sklearn"),))},
    {"head": Ensemble((BOOSTING, BOOSTING))},
    {"head": replace(HEAD, anchors=("cosine",))},
    {"head": replace(HEAD, blend_weight=0.5)},
    {
        "head": replace(
            HEAD,
            conflicts=ConflictColumns((("antonyms", 0.5),), "bag", 4.0, "shorter_length", 8.0, 1.0),
        )
    },
    {"head": Cosine()},
    {"vectors": replace(VECTORS, start="vectors.txt")},
    {"vectors": replace(VECTORS, cross=CrossAttentionTuning())},
    {"vectors": replace(VECTORS, network=NetworkTuning(FineTuning(), "correlation"))},
    {"vectors": replace(VECTORS, tunings=PARAPHRASES[:1])},
    {"vectors": Vectors(tunings=(replace(TUNING, strong=4.0), PARAPHRASES[1]))},
    {"vectors": Vectors(tunings=(Tuning(Training(epochs=3)), PARAPHRASES[1]))},
    {
        "vectors": Vectors(
            tunings=(TUNING, replace(TUNING, round_trips=RoundTrips(Training(), lowest=0.1)))
        )
    },
    {"written_alike": True},
    {"columns": RUN.columns[:-1]},
    {"translated": 1},
    {"reads": AS_IT_IS},
    {"columns": RUN.columns[::-1]},
    {"seed": 1},
    {"learns": None},
    {"learns": Labelled()},
    {"learns": GradedYears(back_translation=True)},
    {"learns": GradedYears(LabelsAsGrades(every=8, same=4.6, other=4.0))},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_any_change_is_another_run(change: dict[str, Any]) -> None:
    changed = replace(RUN, **change)
    assert changed != RUN
    assert changed.digest != RUN.digest


def test_every_field_but_prose_is_among_the_changes() -> None:
    changed = {name for change in CHANGES for name in change}
    assert changed | {"about"} == {field.name for field in fields(Run)}


@pytest.mark.parametrize("run", [RUN, *RUNS.values()], ids=lambda run: run.name)
def test_a_full_stop_in_a_help_text_is_not_another_run(run: Run) -> None:
    assert replace(run, about=f"{run.about}.").digest == run.digest


def test_the_default_run_ships_whatever_its_help_text_says() -> None:
    run = get_run(DEFAULT)
    assert replace(run, about=f"{run.about}.").ships()


def test_columns_are_named_one_by_one() -> None:
    assert RUN.recipe["columns"] == list(hokamp2016.COLUMNS)
    assert "about" not in RUN.recipe


def test_equal_recipes_have_one_digest() -> None:
    again = replace(RUN)
    assert again is not RUN
    assert (again, again.digest, hash(again)) == (RUN, RUN.digest, hash(RUN))
    assert re.fullmatch("[0-9a-f]{64}", RUN.digest)


def test_a_run_cannot_be_changed_in_place() -> None:
    for record in (RUN, TUNING, TUNING.training, RoundTrips(Training()), BOOSTING):
        with pytest.raises(FrozenInstanceError):
            record.seed = 1  # type: ignore[attr-defined]


def test_what_a_run_needs_follows_from_its_tunings() -> None:
    raw = Run("raw", "untuned")
    assert (raw.tunings, raw.pivot) == ((), None)
    tuned = replace(raw, vectors=Vectors(tunings=(TUNING,)))
    assert (tuned.tunings, tuned.pivot) == ((TUNING,), None)
    assert RUN.tunings == PARAPHRASES
    assert RUN.pivot == "es"


@pytest.mark.parametrize("seed", [-1, LARGEST_SEED + 1])
def test_a_seed_that_the_libraries_cannot_take_is_refused(seed: int) -> None:
    with pytest.raises(StsError, match=f"--seed {seed}: expected a whole number from 0 to"):
        RUN.with_seed(seed)


def test_any_other_seed_is_taken() -> None:
    for seed in (0, LARGEST_SEED):
        assert RUN.with_seed(seed) == replace(RUN, seed=seed)


@pytest.mark.parametrize(
    ("kind", "options", "estimator"),
    [
        (
            "boosting",
            {"library": "sklearn", "n_estimators": 7},
            Boosting("sklearn", n_estimators=7),
        ),
        ("extra-trees", {"n_estimators": 5, "max_features": 0.5}, ExtraTrees(5, max_features=0.5)),
        ("svr", {"C": 2.0}, SVR(2.0)),
        ("ridge", {"alpha": 9.0}, Ridge(9.0)),
    ],
)
def test_the_regressor_of_a_recipe_is_made_whole(
    kind: str, options: dict[str, Any], estimator: Any
) -> None:
    made = Regressor.of(kind, **options).make(seed=11)
    assert type(made) is type(estimator)
    expected = estimator.get_params()
    assert made.get_params() == (
        expected | {"random_state": 11} if "random_state" in expected else expected
    )


def test_a_regressor_of_no_known_kind_is_refused_with_the_kinds_there_are() -> None:
    assert tuple(REGRESSORS) == REGRESSOR_KINDS
    kind: Any = Boosting()
    kinds = ", ".join(REGRESSORS)
    with pytest.raises(UnknownNameError, match=rf"'Boosting\(\)'; choose one of: {kinds}$"):
        Regressor.of(kind)


def test_a_fusion_is_anchored_where_its_column_is() -> None:
    head = Ensemble((Regressor.of("ridge"),), anchors=("b", "c"), blend_weight=0.5)
    run = replace(RUN, head=head)
    for columns, places in ((("c", "a", "b"), (2, 0)), (("a", "b"), (1,)), (("a",), ())):
        fusion = run.make_ensemble(columns)
        assert (fusion.anchors, fusion.blend_weight) == (places, 0.5)


# --- those that come with the project


@pytest.mark.parametrize("run", RUNS.values(), ids=list(RUNS))
def test_a_shipped_run_is_well_formed(run: AnyRun) -> None:
    assert get_run(run.name) is run
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", run.name)  # it is typed and stands in file names
    assert run.about
    assert "\n" not in run.about
    assert run.seed == 0
    assert len(set(run.columns)) == len(run.columns)
    for name in run.columns:
        get_feature(name)
    if run.columns:
        wanted = [name for name in run.columns if name.startswith("paraphrase")]
        assert wanted == [f"paraphrase{n}" for n in range(1, len(run.main.tunings) + 1)]


def test_runs_have_their_own_names() -> None:
    files = [import_module(f"{recipes.__name__}.{file.stem}") for file in by_name.recipe_files()]
    assert len(RUNS) == sum(len(file.RUNS) for file in files)
    assert DEFAULT in RUNS
    assert {"raw", "task-internal", "synthetic", "fusion"} <= set(RUNS)


def test_the_fusion_rests_on_the_runs_that_stand_alone() -> None:
    fusion, internal, synthetic = (
        get_run(name).main.vectors for name in ("fusion", "task-internal", "synthetic")
    )
    assert fusion.tunings == (*internal.tunings, *synthetic.tunings)
    assert fusion.start == internal.start == synthetic.start


def test_the_file_of_a_paper_shows_how_to_run_each() -> None:
    for paper in (hokamp2016, ensemble2026, wieting2019):
        for run in paper.RUNS:
            assert f"--run {run.name} " in (paper.__doc__ or "")


def test_an_unknown_run_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown run 'row'; choose one of: raw, "):
        get_run("row")


def test_a_recipe_is_found_by_being_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "nobody2027.py").write_text(
        "from runs.pipeline.run import Run\nRUNS = (Run('nobodys', 'new'),)\n"
    )
    monkeypatch.setattr(recipes, "__path__", [*recipes.__path__, str(tmp_path)])
    found = by_name.Runs()
    assert {*found} == {*RUNS, "nobodys"}
    assert found["nobodys"].about == "new"
    with pytest.raises(KeyError):
        found["somebodys"]


def test_a_run_in_two_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "twice2027.py").write_text(
        "from runs.pipeline.run import Run\nRUNS = (Run('raw', 'again'),)\n"
    )
    monkeypatch.setattr(recipes, "__path__", [*recipes.__path__, str(tmp_path)])
    with pytest.raises(ValueError, match="run 'raw' is in two files"):
        list(by_name.Runs())
