"""The fitted models that ship: they belong to their recipes, are small, and contain no code."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from safetensors.numpy import load_file

from semaniacs.embeddings import compiled, loading
from semaniacs.embeddings.loading import BUNDLED
from semaniacs.features import registry as features_registry
from semaniacs.features.registry import get_feature
from semaniacs.runs.pipeline import task_run
from semaniacs.runs.pipeline.feature_check import changed_features
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import Ensemble, GradedYears, Vectors
from semaniacs.runs.pipeline.run import SHIPPED, Run
from semaniacs.runs.recipes import RUNS, get_run, ship
from semaniacs.sts.data import catalog
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.translation import Translation, TranslationMemory
from semaniacs.sts.translation.memory import Entry

ROOT = Path(__file__).parents[3]
FOLDERS = [ROOT / "embeddings" / "pretrained", ROOT / "features" / "pretrained", SHIPPED]
LEARNING = [run.name for run in RUNS.values() if isinstance(run, Run) and run.vectors.tunings]
ENSEMBLES = [name for name in LEARNING if get_run(name).columns]

PAIRS = Pairs(
    "mine",
    ("A boy feeds the ducks.", "The bank raised its rates.", "We met in 1998."),
    ("A child is feeding ducks.", "A heron stood in the reeds.", "They met in 2001."),
    np.full(3, np.nan),
)

# --- the shipped models

pytestmark = pytest.mark.xdist_group("shipped")  # one worker loads each model once


@cache
def loaded(name: str) -> Model:
    """A shipped model."""
    return Model.load(get_run(name))


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
    hashes, vectors = loaded(name).head.hashes(), run.main.vectors
    assert Model.load(run).head.hashes() == hashes
    read = {"gte", "reader"} if "reader" in run.main.columns else set()
    assert len(hashes) == len(vectors.tunings) + len(read) and read <= {*hashes}
    assert loading.load_static(vectors.start).digest not in hashes.values()  # it was tuned


def test_runs_of_one_tuning_share_one_encoder() -> None:
    internal, fusion = (loaded(name) for name in ("task-internal", "fusion"))
    assert fusion.head.hashes()["paraphrase1"] == internal.head.hashes()["encoder"]


def test_every_shipped_file_belongs_to_a_run() -> None:
    wanted = {"README.md"}
    for run in (run.main for run in RUNS.values() if run.can_ship and run.main.is_saved(SHIPPED)):
        record = run.read_record(SHIPPED)
        files = [*record.values(), *record["encoders"].values(), f"{run.name}.json"]
        wanted |= {str(file) for file in files if str(file).endswith((".json", ".safetensors"))}
    assert {path.name for path in SHIPPED.iterdir()} == wanted


def test_a_model_of_version_0_2_is_known_by_the_digest_of_its_recipe(tmp_path: Path) -> None:
    run = get_run("task-internal").main
    digest = "f8a79e7bee26e9179a5ad9593d8acf925bc4c4e16e7dfa0526d6326796190977"
    (tmp_path / "task-internal.json").write_text(f'{{"digest": "{digest}", "encoders": {{}}}}')
    assert run.is_saved(tmp_path)
    assert not run.is_saved(tmp_path, "sts2015")
    assert not run.with_seed(1).is_saved(tmp_path)


@pytest.mark.parametrize("name", ENSEMBLES)
def test_the_columns_of_a_shipped_model_mean_the_same_as_when_it_was_fitted(name: str) -> None:
    """A feature whose meaning has changed is named here: ship the models that use it again."""
    features = loaded(name).columns.features
    assert changed_features(SHIPPED / f"{name}.features.safetensors", features) == {}


def test_a_feature_that_has_changed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    feature = get_feature("number_match")
    planted = replace(feature, compute=lambda batch: feature.compute(batch) + 1)
    monkeypatch.setitem(features_registry._FEATURES, "number_match", planted)
    path = SHIPPED / "fusion-gbr.features.safetensors"
    features = loaded("fusion-gbr").columns.features
    assert changed_features(path, features) == {"number_match": pytest.approx(1.0)}


def test_shipped_files_are_small_and_contain_numbers_alone() -> None:
    files = [path for folder in FOLDERS for path in folder.rglob("*") if path.is_file()]
    assert 0 < sum(path.stat().st_size for path in files) < 110 * 10**6
    assert BUNDLED["paragram"].path.stat().st_size < 25 * 10**6
    assert BUNDLED["paragram-small"].path.stat().st_size < 6 * 10**6
    assert {path.suffix for path in files} <= {".safetensors", ".json", ".md"}
    for path in (path for path in files if path.suffix == ".safetensors"):
        tensors = load_file(path)
        assert tensors
        assert all(np.isfinite(t).all() for t in tensors.values() if t.dtype.kind == "f")


def test_nothing_is_unpickled_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "FEW", 0)  # or a kernel may be compiled in the second round alone
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


def test_damaged_and_foreign_models_are_refused(
    tmp_path: Path, toy: Any, toy_runs: dict[str, Run], monkeypatch: Any
) -> None:
    (tmp_path / "fusion.json").write_text("{")
    with pytest.raises(DataError, match=r"fusion\.json: not JSON"):
        Model.load(get_run("fusion"), tmp_path)
    run = toy_runs["toy-tuned"]
    task_run.predict(run, toy.task, toy.data).model.save(tmp_path)
    start = loading.load_static("tiny")
    other = type(start)(start.tokenizer, start.table * np.float32(2))
    monkeypatch.setattr(loading, "load_static", lambda name: other)
    message = r"tuned from other starting vectors .*runs\.recipes\.ship"
    with pytest.raises(DataError, match=message):
        Model.load(run, tmp_path)


def test_shipping_resumes_and_removes_unused_files(
    toy: Any,
    toy_runs: dict[str, Run],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, work = tmp_path / "bundled", tmp_path / "work"
    folder.mkdir()
    for name in ("encoder-old.safetensors", "README.md"):
        (folder / name).write_text("")
    monkeypatch.setenv("STS_DATA", str(toy.data))
    monkeypatch.setitem(catalog.TASKS, "sample", replace(toy.task, name="sample"))
    monkeypatch.setattr(ship, "ship_translations", lambda new: None)
    raw, tuned, fused = (toy_runs[name] for name in ("toy-raw", "toy-tuned", "toy-fusion"))
    broken = replace(fused, columns=("nothing",))
    with pytest.raises(StsError, match="nothing"):
        ship.ship([raw, tuned, broken], toy.data, work, folder)
    ship.ship([raw, tuned, fused], toy.data, work, folder)
    assert not work.exists()
    assert "1 of 2: toy-tuned is done" in capsys.readouterr().err
    ship.remove_unused([tuned, fused], folder)
    names = {path.name for path in folder.iterdir()}
    assert names >= {"README.md", "toy-tuned.json", "toy-fusion.json"}
    assert "encoder-old.safetensors" not in names
    assert len([name for name in names if name.startswith("encoder-")]) == 2  # one is shared


def test_new_translations_are_added_to_the_shipped_ones(tmp_path: Path) -> None:
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


def test_a_wrong_option_of_ship_is_a_message() -> None:
    command = [sys.executable, "-m", "semaniacs.runs.recipes.ship", "--foo"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert ended.returncode == 2
    assert "No such option" in ended.stderr
    assert "Traceback" not in ended.stderr
