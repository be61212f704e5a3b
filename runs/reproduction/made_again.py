"""A recorded result is made again and compared with the record, hash by hash."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from semaniacs.runs.pipeline.result_file import SHIPPED_FIT, TRAINED_WITH, TRAINED_WITHOUT
from semaniacs.runs.pipeline.run import AnyRun
from semaniacs.runs.pipeline.task_run import classify, evaluate, predict, write
from semaniacs.runs.recipes import RUNS, get_run
from semaniacs.sts.data.catalog import Task, get_task
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import parse_json, read_text, sha256_of
from semaniacs.sts.tensors import digest

PUBLISHED = Path(__file__).parents[2] / "research" / "results.jsonl"
"""Published results: one JSON object per line, in a checkout only."""

SHORT = 16
"""Hexadecimal digits of a digest in a short signature; a sha256 has 64."""

_PLAIN = ("missing_features",)
"""Lists that a short signature keeps as they are."""

_ONLY_THERE = ("name", "interval", "translator")
"""Keys that the published table adds to a ``results.json``."""

_NEW = ("fit", "fitted_files")
"""Keys that older signatures lack."""

_SURROUNDINGS = ("signature.code", "signature.versions")
"""Code and libraries, which may differ where the figures are the same."""

_TRAINED = "signature.encoders"
"""Trained encoders, which may differ too on another processor."""

_TRANSLATED = "signature.translators"
"""Translations, which differ where a user's own memory has others than ours."""

_SUMS = 1e-12
"""Largest difference of figures of the same scores: processors add in another order."""


def short(value: Any) -> Any:
    """Shorten a sha256, or a list or mapping to its digest; other values stay."""
    if isinstance(value, Mapping | list) and value:
        value = digest(value)
    return value[:SHORT] if isinstance(value, str) and len(value) == 64 else value


def short_signature(signature: Mapping[str, Any]) -> dict[str, Any]:
    """Return a signature in which every long value is a short digest."""
    return {key: value if key in _PLAIN else short(value) for key, value in signature.items()}


def read_result(file: str | Path, published: Path = PUBLISHED) -> dict[str, Any]:
    """Read a ``results.json``, or a published result by its name, such as ``sts2016.raw``.

    Raises:
        DataError: it is neither, or names an unknown run.
    """
    path = Path(file)
    try:
        result = dict(parse_json(read_text(path))) if path.exists() else _find(path, published)
        named = result["run"], result["task"], result["signature"]["seed"]
        fits = isinstance(named[0], str) and isinstance(named[1], str) and type(named[2]) is int
        found = result["signature"]["translators"]
        translators = [str(t["provider"]) for t in found] if isinstance(found, list) else []
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{file}: not a results.json of ours ({error!r:.200})") from None
    if not fits or named[0] not in RUNS or named[2] < 0:
        raise DataError(f"{file}: run {named[0]!r:.60} with seed {named[2]!r:.60}; there is none")
    return result | {"translator": str(result.get("translator") or "".join(translators[:1]))}


def _find(path: Path, published: Path) -> dict[str, Any]:
    """Return the published result with the name of a path, with or without ``.json``."""
    if not published.exists():
        raise DataError(
            f"{path}: no such file; published results are in a checkout of the project alone, in "
            "research/results.jsonl. Name a results.json, such as output/sts2016/raw/results.json"
        )
    for line in map(parse_json, read_text(published).splitlines()):
        if line["name"] == path.name.removesuffix(".json") and "signature" in line:
            return dict(line)
    raise DataError(
        f"{path}: no such file, and no published result of this name; research/results.jsonl lists "
        "them, such as sts2016.raw"
    )


def check_made_again(file: str | Path, data: Path | None, within: float = 0.0) -> list[str]:
    """Score the task again by the same run, and return the lines to print if it is the same.

    Args:
        file: ``results.json``, or the name of a published result; files of scores beside it are
            compared too.
        data: folder of the official files.
        within: largest difference of figures on another processor; 1e-12 in any case.

    Raises:
        StsError: it is not the same; or as for :func:`semaniacs.runs.pipeline.task_run.predict`.
        DataError: as :func:`read_result`.
    """
    recorded, beside = read_result(file), Path(file).parent
    with tempfile.TemporaryDirectory() as name:
        folder = _make(recorded, data, Path(name), beside.name)
        made = parse_json(read_text(folder / "results.json"))
        hashes = {path.name: sha256_of(path) for path in sorted(folder.iterdir())}
    there = {name: sha256_of(beside / name) for name in hashes if (beside / name).is_file()}
    moved = [name for name, found in there.items() if found != hashes[name]]
    same = {name: found for name, found in there.items() if name not in moved}
    scores = [f"{name}: other scores" for name in moved if name != "results.json" and not within]
    changed, around = compare(recorded, made, within)
    return conclude(file, [*changed, *scores], around, same)


def _make(recorded: Mapping[str, Any], data: Path | None, output: Path, name: str) -> Path:
    """Run the recipe of a result again; return the folder of its files."""
    run = get_run(recorded["run"]).with_seed(recorded["signature"]["seed"])
    task = get_task(recorded["task"])
    translated = any("es" in dataset.languages for dataset in task.datasets)
    translator = recorded["translator"] if translated and recorded["translator"] else None
    train, round_trips = _fit_of(recorded, run, task)
    outcome = predict(run, task, data, translator, train=train, round_trips=round_trips)
    score = classify(outcome, data) if task.labelled else evaluate(outcome, data)
    return write(outcome, score, output, name)


def _fit_of(recorded: Mapping[str, Any], run: AnyRun, task: Task) -> tuple[bool, bool | None]:
    """Return whether the run was fitted for the task, and with round trips; None: it has none.

    A result from before the signature had this was fitted for its task, with round trips, unless
    the project shipped a model for that task.
    """
    fit = recorded["signature"].get("fit")
    if fit is None:
        trained = run.main.learns is not None and not task.labelled and not run.ships(task.name)
        return trained, True if trained else None
    return fit != SHIPPED_FIT, {TRAINED_WITH: True, TRAINED_WITHOUT: False}.get(fit)


def compare(
    recorded: Mapping[str, Any], made: Mapping[str, Any], within: float
) -> tuple[list[str], list[str]]:
    """Return the differences of two results, and those of code and libraries, one line each."""
    signed, signature = recorded["signature"], {}
    for key, value in made["signature"].items():
        kept = signed.get(key)
        is_short = isinstance(kept, str) and len(kept) == SHORT and key not in _PLAIN
        if key in signed or key not in _NEW:
            signature[key] = short(value) if is_short else value
    found = [*differences(dict(recorded), {**made, "signature": signature}, within)]
    found = [line for line in found if line.split(": ")[0] not in _ONLY_THERE]
    expected = (*_SURROUNDINGS, _TRAINED) if within else _SURROUNDINGS
    around = [line for line in found if line.startswith(expected)]
    return [line for line in found if line not in around], around


def differences(kept: Any, made: Any, within: float = 0.0, place: str = "") -> Iterator[str]:
    """Yield where two results differ, such as ``mean: 0.7, made again 0.8``.

    Numbers may differ by ``within``.
    """
    if isinstance(kept, dict) and isinstance(made, dict):
        for name in dict.fromkeys((*kept, *made)):
            inside = f"{place}.{name}" if place else str(name)
            yield from differences(kept.get(name), made.get(name), within, inside)
        return
    are_numbers = isinstance(kept, float) and isinstance(made, float)
    if kept != made and not (are_numbers and abs(kept - made) <= max(within, _SUMS)):
        yield f"{place}: {kept!r:.80}, made again {made!r:.80}"


def conclude(
    file: str | Path, changed: Sequence[str], around: Sequence[str], same: Mapping[str, str]
) -> list[str]:
    """Return the lines to print about a result that is the same, with the hashes of its files.

    Raises:
        StsError: something changed; the message says which command allows it.
    """
    if changed:
        advice = "another processor trains and encodes with small differences: --within 0.003 allows them"
        if any(line.startswith(_TRANSLATED) for line in changed):
            advice = (
                "its translations differ: STS_MEMORY=EMPTY_FOLDER ignores your own translations"
            )
        listed = "; ".join([*changed, *around])
        raise StsError(f"{file}: not the same when it is made again: {listed}; {advice}")
    lines = [f"{file}: made again, the same"]
    lines += [f"  sha256 {digest}  {name}" for name, digest in same.items()]
    return lines + [f"  but made with {line}" for line in around]
