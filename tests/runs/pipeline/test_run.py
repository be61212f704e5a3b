"""A run is known by the fields of its recipe, but for prose."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning, Training
from semaniacs.features.registry import get_feature
from semaniacs.features.regressors.ensemble import REGRESSORS, Boosting
from semaniacs.features.regressors.fitted import REGRESSOR_KINDS, ConflictColumns
from semaniacs.runs import recipes
from semaniacs.runs.pipeline.recipe_parts import (
    AS_IT_IS,
    Cosine,
    Ensemble,
    GradedYears,
    Labelled,
    LabelsAsGrades,
    NetworkTuning,
    ReadTogether,
    Regressor,
    RoundTrips,
    Tuning,
    Vectors,
)
from semaniacs.runs.pipeline.run import LARGEST_SEED, AnyRun, Run
from semaniacs.runs.recipes import DEFAULT, RUNS, ensemble2026, get_run, hokamp2016, wieting2019
from semaniacs.sts.errors import StsError, UnknownNameError

TUNING = Tuning(Training(epochs=2))
TRIPS = replace(TUNING, round_trips=RoundTrips(Training()))
FAR_TRIPS = replace(TUNING, round_trips=RoundTrips(Training(), lowest=0.1))
BOOSTING = Regressor.of("boosting", n_estimators=600)
HEAD = Ensemble((BOOSTING,))
VECTORS = Vectors(tunings=(TUNING, TRIPS))
CONFLICTS = ConflictColumns((("wn_synonyms", 0.5),), "bag", 4.0, "shorter_length", 8.0, 1.0)
RUN = Run(
    "mine", "a run", columns=hokamp2016.COLUMNS, head=HEAD, vectors=VECTORS, learns=GradedYears()
)

CHANGES: list[dict[str, Any]] = [
    {"name": "yours"},
    {"head": Cosine()},
    {"head": Ensemble(())},
    {"head": Ensemble((Regressor.of("boosting", n_estimators=601),))},
    {"head": Ensemble((Regressor.of("boosting", library="sklearn"),))},
    {"head": Ensemble((BOOSTING, BOOSTING))},
    {"head": replace(HEAD, anchors=("cosine",))},
    {"head": replace(HEAD, blend_weight=0.5)},
    {"head": replace(HEAD, conflicts=(CONFLICTS,))},
    {"vectors": replace(VECTORS, start="vectors.txt")},
    {"head": ReadTogether(CrossAttentionTuning())},
    {"head": Cosine(NetworkTuning(FineTuning(), "correlation"))},
    {"vectors": Vectors(tunings=(TUNING,))},
    {"vectors": Vectors(tunings=(replace(TUNING, strong=4.0), TRIPS))},
    {"vectors": Vectors(tunings=(Tuning(Training(epochs=3)), TRIPS))},
    {"vectors": Vectors(tunings=(TUNING, FAR_TRIPS))},
    {"columns": RUN.columns[:-1]},
    {"columns": RUN.columns[::-1]},
    {"learns": None},
    {"learns": Labelled()},
    {"learns": GradedYears(back_translation=True)},
    {"learns": GradedYears(LabelsAsGrades(every=8, same=4.6, other=4.0))},
    {"reads": AS_IT_IS},
    {"translated": 1},
    {"written_alike": True},
    {"seed": 1},
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_any_change_is_another_run(change: dict[str, Any]) -> None:
    changed = replace(RUN, **change)
    assert changed != RUN
    assert changed.digest != RUN.digest


def test_every_field_but_prose_is_among_the_changes() -> None:
    changed = {name for change in CHANGES for name in change}
    assert changed | {"about"} == {field.name for field in fields(Run)}
    assert "about" not in RUN.recipe
    for run in (RUN, *RUNS.values()):
        assert replace(run, about=f"{run.about}.").digest == run.digest


def test_equal_recipes_have_one_digest_and_cannot_be_changed() -> None:
    again = replace(RUN)
    assert (again, again.digest, hash(again)) == (RUN, RUN.digest, hash(RUN))
    assert re.fullmatch("[0-9a-f]{64}", RUN.digest)
    for record in (RUN, TUNING, TUNING.training, RoundTrips(Training()), BOOSTING):
        with pytest.raises(FrozenInstanceError):
            record.seed = 1  # type: ignore[attr-defined]


def test_round_trips_follow_from_the_tunings() -> None:
    for tunings, pivot in (((), None), ((TUNING,), None), ((TUNING, TRIPS), "es")):
        assert Run("mine", "tuned", vectors=Vectors(tunings=tunings)).pivot == pivot


def test_seeds() -> None:
    for seed in (-1, LARGEST_SEED + 1):
        with pytest.raises(StsError, match=f"--seed {seed}: expected a whole number from 0 to"):
            RUN.with_seed(seed)
    for seed in (0, LARGEST_SEED):
        assert RUN.with_seed(seed) == replace(RUN, seed=seed)


def test_the_regressor_of_a_recipe_is_made_whole() -> None:
    made = Regressor.of("boosting", library="sklearn", n_estimators=7).make(seed=11)
    assert type(made) is Boosting
    assert made.get_params() == Boosting("sklearn", n_estimators=7, random_state=11).get_params()


def test_an_unknown_regressor_is_refused() -> None:
    assert tuple(REGRESSORS) == REGRESSOR_KINDS
    with pytest.raises(UnknownNameError, match=f"'lstm'; choose one of: {', '.join(REGRESSORS)}$"):
        Regressor.of("lstm")


def test_a_fusion_is_anchored_where_its_column_is() -> None:
    head = Ensemble((Regressor.of("boosting"),), anchors=("b", "c"), blend_weight=0.5)
    for columns, places in ((("c", "a", "b"), (2, 0)), (("a", "b"), (1,)), (("a",), ())):
        fusion = replace(RUN, head=head).make_ensemble(columns)
        assert (fusion.anchors, fusion.blend_weight) == (places, 0.5)


# --- the runs that come with the project


@pytest.mark.parametrize("run", RUNS.values(), ids=list(RUNS))
def test_a_run_of_the_project_is_well_formed(run: AnyRun) -> None:
    assert get_run(run.name) is run
    assert re.fullmatch(r"[a-z0-9][a-z0-9-]*", run.name)  # it is typed, and part of file names
    assert run.about and "\n" not in run.about
    assert run.seed == 0
    assert len(set(run.columns)) == len(run.columns)
    for name in run.columns:
        get_feature(name)
    if run.columns:
        wanted = [name for name in run.columns if name.startswith("paraphrase")]
        assert wanted == [f"paraphrase{n}" for n in range(1, len(run.main.vectors.tunings) + 1)]


def test_runs_have_their_own_names_and_are_shown_in_their_files() -> None:
    files = [import_module(f"{recipes.__name__}.{file.stem}") for file in recipes.recipe_files()]
    assert len(RUNS) == sum(len(file.RUNS) for file in files)
    assert {DEFAULT, "raw", "task-internal", "synthetic", "fusion-gbr"} <= set(RUNS)
    for paper in (hokamp2016, ensemble2026, wieting2019):
        for run in paper.RUNS:
            assert f"--run {run.name} " in (paper.__doc__ or "")


def test_the_paper_has_31_columns() -> None:
    takelab, own = hokamp2016.COLUMNS[:21], hokamp2016.COLUMNS[21:]
    for number, name in enumerate(takelab, start=1):
        assert get_feature(name).source.endswith(f"TakeLab f{number}")
    assert len(own) == 10
    assert all("Table 6" in get_feature(name).source for name in own)
    assert get_run("fusion-gbr").columns == hokamp2016.COLUMNS == get_run("fusion").columns[:31]
    tuned = {"paraphrase1", "paraphrase2"}
    assert set(ensemble2026.COLUMNS) - tuned < set(ensemble2026.CONTEXTUAL_COLUMNS)
    internal, synthetic = (get_run(name).main.vectors for name in ("task-internal", "synthetic"))
    assert get_run("fusion-gbr").main.vectors.tunings == (*internal.tunings, *synthetic.tunings)


def test_an_unknown_run_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown run 'row'; choose one of: raw, "):
        get_run("row")


def test_a_recipe_is_found_by_being_there_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = "from semaniacs.runs.pipeline.run import Run\nRUNS = (Run('nobodys', 'new'),)\n"
    (tmp_path / "nobody2027.py").write_text(new)
    monkeypatch.setattr(recipes, "__path__", [*recipes.__path__, str(tmp_path)])
    found = recipes.Runs()
    assert {*found} == {*RUNS, "nobodys"}
    assert found["nobodys"].about == "new"
    with pytest.raises(KeyError):
        found["somebodys"]
    (tmp_path / "twice2027.py").write_text(new.replace("nobodys", "raw"))
    with pytest.raises(ValueError, match="run 'raw' is in two files"):
        list(recipes.Runs())
