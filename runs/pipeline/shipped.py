"""The fitted models that ship with the project, so that the sample runs in seconds.

    python -m runs.pipeline.shipped --data DIR

fits every run on 2012–2015, with round trips of the sample's sentences, and
writes what was fitted to ``runs/bundled``: patches of the starting vectors and
the fusions' trees. Translations that this needed and that did not ship yet are
added to ``sts/translation/bundled.jsonl``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from embeddings import loading
from embeddings.encoder import Encoder
from embeddings.formats.patch import load_patch, save_patch
from features.extractor import FeatureExtractor, describe_missing
from features.regressors.saved_ensemble import load_ensemble, save_ensemble
from runs.pipeline.fitting import name_encoders
from runs.pipeline.models import CosineModel, FusionModel, Model
from runs.pipeline.recipe import Run
from sts.command_line import run_tool
from sts.errors import DataError, StsError
from sts.files import read_text, write_text
from sts.translation import BUNDLED

FOLDER = Path(__file__).parent / "bundled"
TASK = "sample"
_MANIFEST = "manifest.json"


def holds(run: Run) -> bool:
    """Whether this very recipe, seed included, ships fitted (or needs no fitting)."""
    return not run.learns or _manifest().get(run.name) == run.digest


def _manifest() -> dict[str, str]:
    """Run name to the digest of the recipe that was fitted."""
    path = FOLDER / _MANIFEST
    if not path.exists():
        return {}
    try:
        return dict(json.loads(read_text(path)))
    except ValueError as error:
        raise DataError(f"{path}: not JSON ({error}); restore it from version control") from None


def load_model(run: Run) -> Model:
    """The fitted model of a run that the bundle :func:`holds`."""
    start = loading.load_static(run.start)
    if not run.learns:
        return CosineModel(start)
    encoders = [_load_encoder(run, n, start) for n in range(1, len(run.tunings) + 1)]
    if run.fusion is None:
        return CosineModel(encoders[0])
    fusion, columns = load_ensemble(FOLDER / f"{run.name}.safetensors")
    return FusionModel(FeatureExtractor(columns, name_encoders(encoders, run.start)), fusion)


def _patch_name(run: Run, number: int) -> str:
    """Runs share a patch where they share a tuning: its name is the tuning's digest."""
    return f"encoder-{run.tuning_digest(number)[:12]}.safetensors"


def _load_encoder(run: Run, number: int, start: Encoder) -> Encoder:
    return load_patch(FOLDER / _patch_name(run, number), start)


def save_model(run: Run, model: Model) -> None:
    """Write what :func:`load_model` reads, the manifest last."""
    start = loading.load_static(run.start)
    if isinstance(model, FusionModel):
        missing = describe_missing(model.extractor.missing())
        if missing:
            raise StsError(f"{run.name} would ship {missing[0]}")
        encoders = list(model.extractor.lookup.encoders.values())
        columns = tuple(model.extractor.columns)
        save_ensemble(FOLDER / f"{run.name}.safetensors", model.fusion, columns)
    elif isinstance(model, CosineModel):
        encoders = [model.encoder]
    else:
        raise TypeError(f"no format for {type(model).__name__}")
    for number, encoder in enumerate(encoders, start=1):
        save_patch(FOLDER / _patch_name(run, number), encoder, start)
    manifest = _manifest() | {run.name: run.digest}
    write_text(FOLDER / _MANIFEST, json.dumps(manifest, indent=2, sort_keys=True) + "\n")


def main() -> None:
    """Fit every run that learns and write it to the bundle."""
    from runs.pipeline.task_run import english_pairs, fit_to_task
    from runs.pipeline.translate_pairs import Translating
    from runs.recipes.registry import RUNS
    from sts.data.catalog import get_task

    parser = argparse.ArgumentParser(
        prog="python -m runs.pipeline.shipped",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="STS data folder; otherwise STS_DATA")
    options = parser.parse_args()
    task = get_task(TASK)
    with TemporaryDirectory() as memory:
        translating = Translating(data=options.data, memory=Path(memory))
        english = english_pairs(task, options.data, translating)
        for run in RUNS.values():
            if run.learns:
                save_model(run, fit_to_task(run, task, options.data, translating, english))
                print(f"{run.name}: written to {FOLDER}")
        ship_translations(Path(memory) / "translations.jsonl")
    remove_unused(list(RUNS.values()))


def remove_unused(runs: list[Run]) -> None:
    """Delete the patches of recipes that no run has any more."""
    used = {_patch_name(run, n) for run in runs for n in range(1, len(run.tunings) + 1)}
    for path in FOLDER.glob("encoder-*.safetensors"):
        if path.name not in used:
            path.unlink()


def ship_translations(new: Path) -> None:
    """Add the translations of a memory file to those that ship."""
    if new.exists():
        shipped = read_text(BUNDLED) if BUNDLED.exists() else ""
        write_text(BUNDLED, shipped + read_text(new))


if __name__ == "__main__":
    run_tool(main)
