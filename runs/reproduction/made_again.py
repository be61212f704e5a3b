"""A recorded result is made again and compared with the record, hash by hash."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runs.pipeline.result_file import SHIPPED_FIT, TRAINED_WITH, TRAINED_WITHOUT
from runs.pipeline.run import AnyRun
from runs.pipeline.task_run import classify, evaluate, predict, write
from runs.recipes.by_name import RUNS, get_run
from sts.cache import digest
from sts.data.catalog import get_task
from sts.data.schema import Task
from sts.errors import DataError, StsError
from sts.files import parse_json, read_text, sha256_of

PUBLISHED = Path(__file__).parents[2] / "research" / "results.jsonl"
"""Published results: one JSON object per line, in a checkout only."""

SHORT = 16
"""Hexadecimal digits of a digest in a short signature."""

_LONG = 64
"""Hexadecimal digits of a sha256."""

_PLAIN = ("missing_features",)
"""Lists that a short signature keeps as they are."""

_ONLY_THERE = ("name", "interval", "translator")
"""Keys that the published table adds to a ``results.json``."""

_NEW = ("fit", "fitted_files")
"""Keys that older signatures lack."""

_SURROUNDINGS = ("signature.code", "signature.versions")
"""Code and libraries, which may differ where the figures are the same."""

_TRAINED = ("signature.encoders",)
"""Trained encoders, which may differ too on another processor."""

_TRANSLATED = "signature.translators"
"""Translations, which differ where a user's own memory has others than ours."""

_SUMS = 1e-12
"""Largest difference of figures of the same scores: processors add in another order."""


@dataclass(frozen=True)
class MadeAgain:
    """A result beside the recorded one.

    Attributes:
        files: sha256 of the files that are the same.
        differences: other differences, one line each.
        surroundings: differences of code and libraries, one line each.
    """

    files: Mapping[str, str]
    differences: tuple[str, ...]
    surroundings: tuple[str, ...]


def short(value: Any) -> Any:
    """Shorten a sha256, or a list or mapping to its digest; other values stay."""
    if isinstance(value, Mapping | list) and value:
        value = digest(value)
    return value[:SHORT] if isinstance(value, str) and len(value) == _LONG else value


def short_signature(signature: Mapping[str, Any]) -> dict[str, Any]:
    """Return a signature in which every long value is a short digest."""
    return {key: value if key in _PLAIN else short(value) for key, value in signature.items()}


def read_result(file: str | Path) -> dict[str, Any]:
    """Read a ``results.json``, or a published result by its name, such as ``sts2016.raw``.

    Raises:
        DataError: it is neither, or names an unknown run.
    """
    path = Path(file)
    try:
        result = _published(path) if not path.exists() else dict(parse_json(read_text(path)))
        named = result["run"], result["task"], result["signature"]["seed"]
        fits = isinstance(named[0], str) and isinstance(named[1], str) and type(named[2]) is int
        found = result["signature"]["translators"]
        translators = [str(t["provider"]) for t in found] if isinstance(found, list) else []
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{file}: not a results.json of ours ({error!r:.200})") from None
    if not fits or named[0] not in RUNS or named[2] < 0:
        raise DataError(f"{file}: run {named[0]!r:.60} with seed {named[2]!r:.60}; there is none")
    return result | {"translator": str(result.get("translator") or "".join(translators[:1]))}


def _published(path: Path) -> dict[str, Any]:
    """Return the published result with the name of a path, with or without ``.json``."""
    if not PUBLISHED.exists():
        raise DataError(
            f"{path}: no such file; published results are in a checkout of the project alone, in "
            "research/results.jsonl. Name a results.json, such as output/sts2016/raw/results.json"
        )
    lines = [dict(parse_json(line)) for line in read_text(PUBLISHED).splitlines()]
    name = path.name.removesuffix(".json")
    for line in lines:
        if line["name"] == name and "signature" in line:
            return line
    raise DataError(
        f"{path}: no such file, and no published result of this name; research/results.jsonl lists "
        "them, such as sts2016.raw"
    )


def make_again(file: str | Path, data: Path | None, within: float = 0.0) -> MadeAgain:
    """Score the task again by the same run, and compare.

    Args:
        file: ``results.json``, or the name of a published result; files of scores beside it are
            compared too.
        data: folder of the official files.
        within: largest difference of figures on another processor; 1e-12 in any case.

    Raises:
        StsError: as for :func:`runs.pipeline.task_run.predict`.
        DataError: as :func:`read_result`.
    """
    recorded, beside = read_result(file), Path(file).parent
    run = get_run(recorded["run"]).with_seed(recorded["signature"]["seed"])
    task = get_task(recorded["task"])
    translated = any("es" in dataset.languages for dataset in task.datasets)
    translator = recorded["translator"] if translated and recorded["translator"] else None
    train, round_trips = _fit_of(recorded, run, task)
    outcome = predict(run, task, data, translator, train=train, round_trips=round_trips)
    score = classify(outcome, data) if task.labelled else evaluate(outcome, data)
    with tempfile.TemporaryDirectory() as name:
        folder = write(outcome, score, Path(name), beside.name)
        made = parse_json(read_text(folder / "results.json"))
        hashes = {path.name: sha256_of(path) for path in sorted(folder.iterdir())}
    there = {name: beside / name for name in hashes if (beside / name).is_file()}
    moved = [name for name, at in there.items() if sha256_of(at) != hashes[name]]
    signed = recorded["signature"]
    made["signature"] = {
        key: short(value) if _is_short(signed.get(key)) and key not in _PLAIN else value
        for key, value in made["signature"].items()
        if key in signed or key not in _NEW
    }
    found = [d for d in differences(recorded, made, within) if d.split(": ")[0] not in _ONLY_THERE]
    expected = (*_SURROUNDINGS, *(_TRAINED if within else ()))
    around = tuple(d for d in found if d.startswith(expected))
    scores = [f"{name}: other scores" for name in moved if name != "results.json" and not within]
    same = {name: hashes[name] for name in there if name not in moved}
    return MadeAgain(same, (*(d for d in found if d not in around), *scores), around)


def _is_short(value: Any) -> bool:
    return isinstance(value, str) and len(value) == SHORT


def _fit_of(recorded: Mapping[str, Any], run: AnyRun, task: Task) -> tuple[bool, bool | None]:
    """Return whether the run was fitted for the task, and with round trips; None: it has none.

    A result from before the signature had this was fitted for its task, with round trips, unless
    the project shipped a model for that task.
    """
    fit = recorded["signature"].get("fit")
    if fit is None:
        trained = run.learns is not None and not task.labelled and not run.ships(task.name)
        return trained, True if trained else None
    return fit != SHIPPED_FIT, {TRAINED_WITH: True, TRAINED_WITHOUT: False}.get(fit)


def differences(kept: Any, made: Any, within: float = 0.0, place: str = "") -> Iterator[str]:
    """Yield where two results differ, such as ``mean: 0.7, made again 0.8``.

    Numbers may differ by ``within``.
    """
    if isinstance(kept, dict) and isinstance(made, dict):
        for name in dict.fromkeys((*kept, *made)):
            inside = f"{place}.{name}" if place else str(name)
            yield from differences(kept.get(name), made.get(name), within, inside)
    elif kept != made and not _near(kept, made, within):
        yield f"{place}: {kept!r:.80}, made again {made!r:.80}"


def _near(kept: Any, made: Any, within: float) -> bool:
    both = isinstance(kept, float) and isinstance(made, float)
    return both and abs(kept - made) <= max(within, _SUMS)


def check_made_again(file: str | Path, data: Path | None, within: float = 0.0) -> list[str]:
    """Return the lines to print about a result that is the same.

    Raises:
        StsError: it is not the same; or as for :func:`make_again`.
    """
    found = make_again(file, data, within)
    if found.differences:
        more = [*found.differences, *found.surroundings]
        raise StsError(
            f"{file}: not the same when it is made again: {'; '.join(more)}; {_advice(found)}"
        )
    told = [f"{file}: made again, the same"]
    told += [f"  sha256 {digest}  {name}" for name, digest in found.files.items()]
    return told + [f"  but made with {line}" for line in found.surroundings]


def _advice(found: MadeAgain) -> str:
    """Return the next command to type where a result differs."""
    if any(line.startswith(_TRANSLATED) for line in found.differences):
        return "its translations differ: STS_MEMORY=EMPTY_FOLDER ignores your own translations"
    return "another processor trains and encodes with small differences: --within 0.003 allows them"
