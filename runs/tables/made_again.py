"""A published result is made again, and compared with what was published: hash by hash."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runs.pipeline.result_file import SHIPPED_FIT, TRAINED_WITH, TRAINED_WITHOUT
from runs.pipeline.run import Run
from runs.pipeline.task_run import classify, evaluate, predict, write
from runs.recipes.by_name import RUNS, get_run
from sts.data.catalog import get_task
from sts.data.schema import Task
from sts.errors import DataError, StsError
from sts.files import parse_json, read_text, sha256_of

_MADE_ELSEWHERE = ("interval", "translator")
"""What the published table adds to a ``results.json``."""

_NEW = ("fit", "fitted_files")
"""What older signatures do not have."""

_SURROUNDINGS = ("signature.code", "signature.versions.")
"""What may differ where the figures are the same: other code and libraries that compute the same."""

_TRAINED = ("signature.encoders.",)
"""What may differ too on another processor, where training rounds in another way."""

_TRANSLATED = "signature.translators"
"""What differs where a person's own memory of translations has others than ours."""

_SUMS = 1e-12
"""By how much figures of the same scores may differ: processors add up numbers in another order."""


@dataclass(frozen=True)
class MadeAgain:
    """A result beside the one that was published.

    Attributes:
        files: sha256 of the files that were made again and are the same.
        differences: what is not the same, a line each.
        surroundings: in which code and libraries the two differ, a line each.
    """

    files: Mapping[str, str]
    differences: tuple[str, ...]
    surroundings: tuple[str, ...]


def read_result(path: Path) -> dict[str, Any]:
    """What a ``results.json``, or a file of the published table, says.

    Raises:
        DataError: it is none, or of a run that there is not.
    """
    try:
        result = dict(parse_json(read_text(path)))
        named = result["run"], result["task"], result["signature"]["seed"]
        fits = isinstance(named[0], str) and isinstance(named[1], str) and type(named[2]) is int
        translators = [str(t["provider"]) for t in result["signature"]["translators"]]
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: not a results.json of ours ({error!r:.200})") from None
    if not fits or named[0] not in RUNS or named[2] < 0:
        raise DataError(f"{path}: run {named[0]!r:.60} with seed {named[2]!r:.60}; there is none")
    return result | {"translator": str(result.get("translator") or "".join(translators[:1]))}


def make_again(path: Path, data: Path | None, within: float = 0.0) -> MadeAgain:
    """Score the task again by the same run, and compare.

    Args:
        path: ``results.json``, whose files of scores are compared if they lie beside it, or a
            file of ``runs/results``.
        data: the folder given with ``--data``.
        within: figures may be so far apart, on another processor; 1e-12 in any case.

    Raises:
        StsError: as for :func:`runs.pipeline.task_run.predict`.
        DataError: it is no result.
    """
    kept = read_result(path)
    run = get_run(kept["run"]).with_seed(kept["signature"]["seed"])
    task = get_task(kept["task"])
    translated = any("es" in dataset.languages for dataset in task.datasets)
    translator = kept["translator"] if translated and kept["translator"] else None
    train, round_trips = _fit_of(kept, run, task)
    outcome = predict(run, task, data, translator, train=train, round_trips=round_trips)
    score = classify(outcome, data) if task.labelled else evaluate(outcome, data)
    with tempfile.TemporaryDirectory() as name:
        folder = write(outcome, score, Path(name), path.parent.name)
        made = parse_json(read_text(folder / "results.json"))
        hashes = {file.name: sha256_of(file) for file in sorted(folder.iterdir())}
    there = {file: path.parent / file for file in hashes if (path.parent / file).is_file()}
    changed = [file for file, at in there.items() if sha256_of(at) != hashes[file]]
    signed = kept["signature"]
    made["signature"] = {k: v for k, v in made["signature"].items() if k in signed or k not in _NEW}
    found = [d for d in differences(kept, made, within) if d.split(": ")[0] not in _MADE_ELSEWHERE]
    expected = (*_SURROUNDINGS, *(_TRAINED if within else ()))
    around = tuple(d for d in found if d.startswith(expected))
    scores = [f"{file}: other scores" for file in changed if file != "results.json" and not within]
    same = {file: hashes[file] for file in there if file not in changed}
    return MadeAgain(same, (*(d for d in found if d not in around), *scores), around)


def _fit_of(kept: Mapping[str, Any], run: Run, task: Task) -> tuple[bool, bool | None]:
    """Whether the run was fitted for the task, and whether with round trips; None: it has none.

    A result of before the signature said so was fitted for its task, with round trips, unless the
    project shipped a model for that very task.
    """
    fit = kept["signature"].get("fit")
    if fit is None:
        trained = run.learns and not task.labelled and not run.ships(task.name)
        return trained, True if trained else None
    return fit != SHIPPED_FIT, {TRAINED_WITH: True, TRAINED_WITHOUT: False}.get(fit)


def differences(kept: Any, made: Any, within: float = 0.0, place: str = "") -> Iterator[str]:
    """Where two results differ, a line each: ``mean: 0.7, made again 0.8``.

    Numbers may be ``within`` so much of each other.
    """
    if isinstance(kept, dict) and isinstance(made, dict):
        for name in dict.fromkeys((*kept, *made)):
            inside = f"{place}.{name}" if place else str(name)
            yield from differences(kept.get(name), made.get(name), within, inside)
    elif kept != made and not _near(kept, made, within):
        yield f"{place}: {kept!r:.80}, made again {made!r:.80}"


def _near(kept: Any, made: Any, within: float) -> bool:
    return (
        isinstance(kept, float)
        and isinstance(made, float)
        and abs(kept - made) <= max(within, _SUMS)
    )


def check_made_again(path: Path, data: Path | None, within: float = 0.0) -> list[str]:
    """What to tell of a result that is the same.

    Raises:
        StsError: it is not the same; or as for :func:`make_again`.
    """
    found = make_again(path, data, within)
    if found.differences:
        more = [*found.differences, *found.surroundings]
        raise StsError(
            f"{path}: not the same when it is made again: {'; '.join(more)}; {_advice(found)}"
        )
    told = [f"{path}: made again, the same"]
    told += [f"  sha256 {digest}  {file}" for file, digest in found.files.items()]
    return told + [f"  but made with {line}" for line in found.surroundings]


def _advice(found: MadeAgain) -> str:
    """What to type next, where a result is not the same."""
    if any(line.startswith(_TRANSLATED) for line in found.differences):
        return "it was translated otherwise: STS_MEMORY=EMPTY_FOLDER leaves your translations aside"
    return "what another processor trains or encodes differs a little: --within 0.003 allows it"
