"""The fitted models that ship: they belong to their recipes, are small, and hold no code."""

from __future__ import annotations

import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from safetensors.numpy import load_file

from embeddings import loading
from embeddings.formats.fingerprint import fingerprint
from embeddings.loading import BUNDLED
from features import registry as features_registry
from features.registry import get_feature
from runs.pipeline import task_run
from runs.pipeline.feature_check import changed_features
from runs.pipeline.fitting import check, fit
from runs.pipeline.model import Model
from runs.pipeline.recipe_parts import Ensemble, GradedYears, Vectors
from runs.pipeline.run import SHIPPED, Run
from runs.recipes import ship
from runs.recipes.by_name import RUNS, get_run
from sts.data import catalog
from sts.data.pairs import Pairs
from sts.errors import DataError, MissingResourceError, StsError
from sts.translation import Translation, TranslationMemory
from sts.translation.memory import Entry

ROOT = Path(__file__).parents[3]
FOLDERS = [ROOT / "embeddings" / "pretrained", ROOT / "features" / "pretrained", SHIPPED]
LEARNING = [run.name for run in RUNS.values() if isinstance(run, Run) and run.tunings]
ENGLISH = ["raw", *LEARNING]
ENSEMBLES = [name for name in LEARNING if get_run(name).columns]

PAIRS = Pairs(
    "mine",
    ("A boy feeds the ducks.", "The bank raised its rates.", "We met in 1998."),
    ("A child is feeding ducks.", "A heron stood in the reeds.", "They met in 2001."),
    np.full(3, np.nan),
)

# --- what ships

pytestmark = pytest.mark.xdist_group("shipped")  # one worker loads each model once


@cache
def loaded(name: str) -> Model:
    """A shipped model."""
    return Model.load(get_run(name))


def skip_if_it_cannot_work(run: Run) -> None:
    """Without the weights of MiniLM, which do not come with the project."""
    try:
        check(run)
    except MissingResourceError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", LEARNING)
def test_a_run_ships_fitted_with_its_own_seed_alone(name: str) -> None:
    run = get_run(name)
    assert run.ships()
    assert not run.with_seed(1).ships()
    assert run.ships("sts2016") == (run.main.pivot is None)  # one key: it learns from the same data
    with pytest.raises(StsError, match=r"seed 1 does not ship fitted.*runs\.recipes\.ship"):
        Model.load(run.with_seed(1))


@pytest.mark.parametrize(
    "change",
    [
        {"columns": ("det_1",)},
        {"head": Ensemble(())},
        {"vectors": Vectors()},
        {"learns": GradedYears()},
        {"written_alike": False},
        {"name": "fusion-of-mine"},
    ],
    ids=str,
)
def test_a_changed_recipe_does_not_ship(change: dict[str, Any]) -> None:
    assert not replace(get_run("fusion").main, **change).ships()


@pytest.mark.parametrize("name", LEARNING)
def test_a_shipped_model_is_the_same_every_time(name: str) -> None:
    run = get_run(name)
    skip_if_it_cannot_work(run)
    first, second = (Model.load(run).encoder_hashes() for _ in range(2))
    assert first == second
    vectors = run.main.vectors
    networks = [network for network in (vectors.network, vectors.cross) if network]
    assert len(first) == len(vectors.tunings) + len(networks)
    assert fingerprint(loading.load_static(vectors.start)) not in first.values()  # it was tuned


@pytest.mark.parametrize("name", ENGLISH)
def test_a_shipped_model_scores(name: str) -> None:
    run = get_run(name)
    skip_if_it_cannot_work(run)
    duck, heron, year = loaded(name).predict(PAIRS)
    assert 0 <= heron < year < 5
    assert heron + 1 < duck <= 5


def test_runs_of_one_tuning_share_one_encoder() -> None:
    internal, fusion = (loaded(name) for name in ("task-internal", "fusion"))
    assert fusion.encoder_hashes()["paraphrase1"] == internal.encoder_hashes()["encoder"]


def test_nothing_ships_that_no_run_reads() -> None:
    names = [run.name for run in RUNS.values() if run.can_ship and run.main.is_saved(SHIPPED)]
    wanted = {"README.md", *(f"{name}.json" for name in names)}
    for name in names:
        record = get_run(name).main.read_record(SHIPPED)
        wanted |= set(record["encoders"].values())
        wanted |= {
            record[part]
            for part in ("ensemble", "features", "quantiles", "intervals", "transformer", "cross")
            if part in record
        }
    assert {path.name for path in SHIPPED.iterdir()} == wanted


# --- what the columns of a shipped model mean


@pytest.mark.parametrize("name", ENSEMBLES)
def test_the_columns_of_a_shipped_model_mean_what_they_meant(name: str) -> None:
    """A feature whose meaning has changed is named here: ship the models that use it again."""
    features = loaded(name).columns.features
    assert changed_features(SHIPPED / f"{name}.features.safetensors", features) == {}


def test_a_feature_that_has_changed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "fusion-gbr"
    feature = get_feature("number_match")
    planted = replace(feature, compute=lambda batch: feature.compute(batch) + 1)
    monkeypatch.setitem(features_registry._FEATURES, "number_match", planted)
    features = Model.load(get_run(name)).columns.features
    found = changed_features(SHIPPED / f"{name}.features.safetensors", features)
    assert found == {"number_match": pytest.approx(1.0)}


def test_what_ships_is_small() -> None:
    files = [path for folder in FOLDERS for path in folder.rglob("*") if path.is_file()]
    assert files
    assert sum(path.stat().st_size for path in files) < 88 * 10**6
    sizes = {name: bundled.path.stat().st_size for name, bundled in BUNDLED.items()}
    assert sizes["paragram"] < 25 * 10**6
    assert sizes["paragram-small"] < 6 * 10**6


def test_what_ships_is_safetensors_of_numbers() -> None:
    for path in (path for folder in FOLDERS for path in folder.glob("*.safetensors")):
        tensors = load_file(path)
        assert tensors
        assert all(np.isfinite(t).all() for t in tensors.values() if t.dtype.kind == "f")
    for folder in FOLDERS:
        kinds = {path.suffix for path in folder.iterdir()}
        assert kinds <= {".safetensors", ".json", ".md"}


def test_nothing_is_unpickled_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LEARNING:  # libraries may do so when first imported, Numba with compiled code
        loaded(name).predict(PAIRS)

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("something was unpickled")

    for place in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, place, refuse)
    loading._load_once.cache_clear()
    for name in LEARNING:
        Model.load(get_run(name)).predict(PAIRS)


# --- saving and shipping


@pytest.mark.parametrize("name", ["toy-tuned", "toy-fusion"])
def test_a_saved_model_scores_as_the_fitted_one(
    name: str, tmp_path: Path, toy: Any, toy_runs: dict[str, Run]
) -> None:
    run = toy_runs[name]
    outcome, folder = task_run.predict(run, toy.task, toy.data), tmp_path / "saved"
    outcome.model.save(folder)
    assert run.is_saved(folder)
    assert not run.with_seed(1).is_saved(folder)
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    outcome.model.save(folder)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
    again = Model.load(run, folder)
    for pairs in outcome.tests:
        np.testing.assert_allclose(again.predict(pairs), outcome.model.predict(pairs), atol=2e-3)


def test_models_are_saved_side_by_side(tmp_path: Path, toy: Any, toy_runs: dict[str, Run]) -> None:
    runs = [toy_runs["toy-fusion"], toy_runs["toy-tuned"]]
    for run in runs:
        task_run.predict(run, toy.task, toy.data).model.save(tmp_path)
    assert all(run.is_saved(tmp_path) for run in runs)
    assert len(list(tmp_path.glob("encoder-*"))) == 2  # one of the two is shared


def test_a_damaged_record_is_told(tmp_path: Path, toy: Any, toy_runs: dict[str, Run]) -> None:
    (tmp_path / "fusion.json").write_text("{")
    with pytest.raises(DataError, match=r"fusion\.json: not JSON"):
        Model.load(get_run("fusion"), tmp_path)


def test_a_patch_of_other_vectors_is_refused(
    tmp_path: Path, toy: Any, toy_runs: dict[str, Run], monkeypatch: Any
) -> None:
    run = toy_runs["toy-tuned"]
    task_run.predict(run, toy.task, toy.data).model.save(tmp_path)
    start = loading.load_static("tiny")
    other = type(start)(start.tokenizer, start.table * np.float32(2))
    monkeypatch.setattr(loading, "load_static", lambda name: other)
    said = r"tuned from other starting vectors .*runs\.recipes\.ship"
    with pytest.raises(DataError, match=said):
        Model.load(run, tmp_path)


@pytest.fixture
def shipping(tmp_path: Path, toy: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for models, and the toy task in place of the sample."""
    folder = tmp_path / "bundled"
    folder.mkdir()
    monkeypatch.setenv("STS_DATA", str(toy.data))
    monkeypatch.setitem(catalog.TASKS, "sample", replace(toy.task, name="sample"))
    monkeypatch.setattr(ship, "ship_translations", lambda new: None)
    return folder


def test_shipping_that_was_stopped_goes_on_where_it_was(
    shipping: Path, toy: Any, toy_runs: dict[str, Run], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    tuned, fused = toy_runs["toy-tuned"], toy_runs["toy-fusion"]
    fitted: list[str] = []
    stopped = [True]

    def fit_unless_stopped(run: Run, *arguments: Any, **options: Any) -> Model:
        if run == fused and stopped[0]:
            raise KeyboardInterrupt
        fitted.append(run.name)
        return fit(run, *arguments, **options)

    monkeypatch.setattr(ship, "fit", fit_unless_stopped)
    runs = [toy_runs["toy-raw"], tuned, fused]
    with pytest.raises(KeyboardInterrupt):
        ship.ship(runs, toy.data, tmp_path / "work", shipping)
    stopped[0] = False
    ship.ship(runs, toy.data, tmp_path / "work", shipping)
    assert fitted == ["toy-tuned", "toy-fusion"]
    ship.ship(runs, toy.data, tmp_path / "work", shipping)  # from the start: it had ended
    assert fitted == ["toy-tuned", "toy-fusion"] * 2


def test_what_no_run_needs_any_more_is_removed(
    shipping: Path, toy: Any, toy_runs: dict[str, Run], tmp_path: Path
) -> None:
    (shipping / "encoder-old.safetensors").write_bytes(b"")
    (shipping / "README.md").write_text("kept")
    ship.ship([toy_runs["toy-tuned"]], toy.data, tmp_path / "work", shipping)
    ship.remove_unused([toy_runs["toy-tuned"]], shipping)
    names = {path.name for path in shipping.iterdir()}
    assert names >= {"README.md", "toy-tuned.json"}
    assert "encoder-old.safetensors" not in names
    assert not (tmp_path / "work").exists()


def test_new_translations_are_added_to_those_that_ship(tmp_path: Path) -> None:
    shipped, new = tmp_path / "shipped.jsonl", tmp_path / "new.jsonl"
    ship.ship_translations(new, shipped)  # nothing was translated
    assert not shipped.exists()
    for text in ("uno", "dos"):
        memory = TranslationMemory(new)
        memory.add_entries([Entry("fake", "1", "es", "en", text, Translation(text.upper()))])
        ship.ship_translations(new, shipped)
        new.unlink()
    together = TranslationMemory(shipped)
    together.refresh()
    assert len(together) == 2
