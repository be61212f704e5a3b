"""The fitted models that ship: they belong to their recipes, are small, and hold no code."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from safetensors.numpy import load_file

from embeddings import loading
from embeddings.formats.fingerprint import fingerprint
from embeddings.loading import BUNDLED
from features.registry import get_feature
from features.resources import Resources
from runs.pipeline import shipped as shipped_models
from runs.pipeline import task_run
from runs.pipeline.models import CosineModel, FusionModel
from runs.pipeline.recipe import Run
from runs.pipeline.signature import encoder_hashes
from runs.pipeline.translate_pairs import Translating
from runs.recipes.registry import RUNS, get_run
from runs.recipes.wieting2019 import BitextRun
from sts.data.pairs import Pairs
from sts.errors import DataError
from sts.translation import Translation, TranslationMemory

ROOT = Path(__file__).parents[3]
SHIPPED = [
    ROOT / "embeddings" / "pretrained",
    ROOT / "features" / "pretrained",
    shipped_models.FOLDER,
]
FITTED = [run.name for run in RUNS.values() if not isinstance(run, BitextRun)]
LEARNING = [run.name for run in RUNS.values() if run.learns]

PAIRS = Pairs(
    "mine",
    ("A boy feeds the ducks.", "The bank raised its rates.", "We met in 1998."),
    ("A child is feeding ducks.", "A heron stood in the reeds.", "They met in 2001."),
    np.full(3, np.nan),
)

# --- what ships


@pytest.mark.parametrize("name", FITTED)
def test_a_run_ships_fitted_with_its_own_seed_alone(name: str) -> None:
    run = get_run(name)
    assert shipped_models.holds(run)
    assert shipped_models.holds(run.with_seed(1)) is not run.learns


def test_a_changed_recipe_is_not_held() -> None:
    run = get_run("fusion")
    assert run.fusion is not None
    for change in (
        {"columns": run.columns[:-1]},
        {"fusion": run.fusion[1:]},
        {"blend_weight": 0.5},
        {"paraphrases": run.paraphrases[::-1]},
        {"start": "other.txt"},
        {"name": "fusion-of-mine"},
    ):
        assert not shipped_models.holds(replace(run, **change))


@pytest.mark.parametrize("name", LEARNING)
def test_a_shipped_model_is_the_same_every_time(name: str) -> None:
    run = get_run(name)
    first, second = shipped_models.load_model(run), shipped_models.load_model(run)
    assert encoder_hashes(first) == encoder_hashes(second)
    assert len(encoder_hashes(first)) == len(run.tunings)
    start = fingerprint(loading.load_static(run.start))
    assert start not in encoder_hashes(first).values()  # it was tuned


@pytest.mark.parametrize("name", FITTED)
def test_a_shipped_model_scores(name: str) -> None:
    anchor = get_run(name).anchor
    needs = get_feature(anchor).needs if anchor else ()
    for command in filter(None, map(Resources().missing, needs)):
        pytest.skip(f"{name} cannot do without {anchor}: {command}")
    run = get_run(name)
    model = shipped_models.load_model(run)
    assert isinstance(model, FusionModel if run.fusion else CosineModel)
    duck, heron, year = model.predict(PAIRS)
    assert 0 <= heron < year < 5
    assert heron + 1 < duck <= 5


def test_runs_of_one_tuning_share_one_encoder() -> None:
    internal = encoder_hashes(shipped_models.load_model(get_run("task-internal")))
    fusion = encoder_hashes(shipped_models.load_model(get_run("fusion")))
    assert fusion["paraphrase1"] == internal["encoder"]


def test_nothing_ships_that_no_run_reads() -> None:
    wanted = {"manifest.json", "README.md"}
    for run in RUNS.values():
        if run.fusion:
            wanted.add(f"{run.name}.safetensors")
        for number in range(1, len(run.tunings) + 1):
            wanted.add(f"encoder-{run.tuning_digest(number)[:12]}.safetensors")
    assert {path.name for path in shipped_models.FOLDER.iterdir()} == wanted


def test_what_ships_is_small() -> None:
    files = [path for folder in SHIPPED for path in folder.rglob("*") if path.is_file()]
    assert files
    assert sum(path.stat().st_size for path in files) < 120 * 10**6
    sizes = {name: bundled.path.stat().st_size for name, bundled in BUNDLED.items()}
    assert sizes["paragram"] < 25 * 10**6
    assert sizes["paragram-small"] < 6 * 10**6


def test_what_ships_is_safetensors_of_numbers() -> None:
    for path in (path for folder in SHIPPED for path in folder.glob("*.safetensors")):
        tensors = load_file(path)
        assert tensors
        assert all(np.isfinite(t).all() for t in tensors.values() if t.dtype.kind == "f")
    for folder in SHIPPED:
        kinds = {path.suffix for path in folder.iterdir()}
        assert kinds <= {".safetensors", ".json", ".md"}


def test_nothing_is_unpickled_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in LEARNING:  # libraries may do so when first imported, Numba with compiled code
        shipped_models.load_model(get_run(name)).predict(PAIRS)

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("something was unpickled")

    for place in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, place, refuse)
    loading._load_once.cache_clear()
    for name in LEARNING:
        shipped_models.load_model(get_run(name)).predict(PAIRS)


# --- shipping


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of what ships."""
    monkeypatch.setattr(shipped_models, "FOLDER", tmp_path / "bundled")
    return tmp_path / "bundled"


def fitted(run: Run, toy: Any) -> tuple[Any, list[Pairs]]:
    """A run fitted to the toy task, and the pairs of the task."""
    translating = Translating(data=toy.data)
    english = task_run.english_pairs(toy.task, toy.data, translating)
    return task_run.fit_to_task(run, toy.task, toy.data, translating, english), english


@pytest.mark.parametrize("name", ["toy-tuned", "toy-fusion"])
def test_a_saved_model_scores_as_the_fitted_one(
    name: str, folder: Path, toy: Any, toy_runs: dict[str, Run], translator: Any
) -> None:
    run = toy_runs[name]
    assert not shipped_models.holds(run)
    model, english = fitted(run, toy)
    shipped_models.save_model(run, model)
    assert shipped_models.holds(run)
    assert not shipped_models.holds(run.with_seed(1))
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    shipped_models.save_model(run, model)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
    again = shipped_models.load_model(run)
    for pairs in english:
        np.testing.assert_allclose(again.predict(pairs), model.predict(pairs), atol=2e-3)


def test_runs_are_shipped_side_by_side(
    folder: Path, toy: Any, toy_runs: dict[str, Run], translator: Any
) -> None:
    tuned, fused = toy_runs["toy-tuned"], toy_runs["toy-fusion"]
    shipped_models.save_model(fused, fitted(fused, toy)[0])
    shipped_models.save_model(tuned, fitted(tuned, toy)[0])
    assert shipped_models.holds(tuned)
    assert shipped_models.holds(fused)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest == {"toy-fusion": fused.digest, "toy-tuned": tuned.digest}
    assert len(list(folder.glob("encoder-*"))) == 2  # one of the two is shared


def test_without_a_bundle_only_what_needs_no_fitting_is_held(folder: Path) -> None:
    assert {name for name in FITTED if shipped_models.holds(get_run(name))} == {"raw"}
    assert isinstance(shipped_models.load_model(get_run("raw")), CosineModel)


def test_a_damaged_manifest_is_told(folder: Path) -> None:
    folder.mkdir()
    (folder / "manifest.json").write_text("{")
    with pytest.raises(DataError, match=r"manifest\.json: not JSON"):
        shipped_models.holds(get_run("fusion"))


def test_a_patch_of_other_vectors_is_refused(
    folder: Path, toy: Any, toy_runs: dict[str, Run], translator: Any, monkeypatch: Any
) -> None:
    run = toy_runs["toy-tuned"]
    shipped_models.save_model(run, fitted(run, toy)[0])
    start = loading.load_static("tiny")
    monkeypatch.setattr(
        loading,
        "load_static",
        lambda name: type(start)(start.tokenizer, start.table * np.float32(2)),
    )
    with pytest.raises(
        DataError, match=r"tuned from other starting vectors .*runs\.pipeline\.shipped"
    ):
        shipped_models.load_model(run)


def test_new_translations_are_added_to_those_that_ship(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped, new = tmp_path / "shipped.jsonl", tmp_path / "new.jsonl"
    monkeypatch.setattr(shipped_models, "BUNDLED", shipped)
    shipped_models.ship_translations(new)  # nothing was translated
    assert not shipped.exists()
    for text in ("uno", "dos"):
        memory = TranslationMemory(new)
        memory.add_many("fake", "1", "es", "en", [(text, Translation(text.upper()))])
        shipped_models.ship_translations(new)
        new.unlink()
    together = TranslationMemory(shipped)
    together.refresh()
    assert len(together) == 2
