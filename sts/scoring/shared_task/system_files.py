"""The submissions in what organisers receive: files, folders and zips, of one team or of many."""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from sts.data.archives import named_members
from sts.data.pairs import Scores
from sts.errors import DataError, StsError
from sts.files import decode, read_bytes, split_lines
from sts.progress import note
from sts.scoring import submission
from sts.scoring.shared_task.gold_standard import GoldStandard
from sts.scoring.shared_task.score_column import read_column

_TABLES = (".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".pq", ".gz")


class SystemFile(NamedTuple):
    """A file of scores, in a folder or in a zip.

    Attributes:
        origin: where it is, for errors.
        folders: those that hold it, below what the user named.
        name: its own.
        read: its content.
    """

    origin: str
    folders: tuple[str, ...]
    name: str
    read: Callable[[], bytes]


@dataclass(frozen=True)
class Submission:
    """One run of one team.

    Attributes:
        team, run: as the files or the folders name them; run may be empty.
        files: by data set; some may be missing.
    """

    team: str
    run: str
    files: Mapping[str, SystemFile]

    @property
    def name(self) -> str:
        """Team and run."""
        return f"{self.team} {self.run}".rstrip()

    @property
    def origin(self) -> str:
        """The folder or zip of its files, or the file if it is one."""
        origins = [file.origin for file in self.files.values()]
        return origins[0] if len(origins) == 1 else origins[0].rpartition("/")[0]


def find_submissions(paths: Sequence[Path], gold: GoldStandard) -> list[Submission]:
    """Every submission in some files, folders and zips, in the order of their names.

    A file belongs to the data set whose name its own name ends in, as in
    ``STS2016.OUTPUT.TEAM.RUN.headlines.txt``. Files with the same beginning in one folder are one
    submission, so that a folder may hold several runs. The team is the first of several names
    behind ``OUTPUT``, else the outermost folder below the one that was given; where several were
    given, each is a team. With one data set a file may have any name.

    Raises:
        DataError: something is not there or damaged, holds no such file, or two submissions have
            one name.
    """
    found: list[Submission] = []
    for path in paths:
        files = [*_files(path, (_stem(path),) if len(paths) > 1 else ())]
        here = [*_grouped(files, gold, path)]
        if not here:
            names = ", ".join(file.name for file in files[:6]) or "none"
            wanted = " or ".join(f"*.{name}.txt" for name in gold.scores)
            raise DataError(
                f"{path}: no file of scores for {gold.name}; expected {wanted}, files there: {names}"
            )
        found += here
    first: dict[str, Submission] = {}
    for one in found:
        other = first.setdefault(one.name, one)
        if other is not one:
            raise DataError(
                f"{other.origin} and {one.origin} are both called {one.name!r}; "
                "give each submission a folder of its own"
            )
    return found


def _files(path: Path, folders: tuple[str, ...]) -> Iterator[SystemFile]:
    """The files of a folder, a zip, or of the zips of a folder; hidden ones are left out."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            inner = file.relative_to(path).parts
            if file.is_file() and not _hidden(inner):
                yield from _files(file, (*folders, *inner[:-1], *_of_zip(file)))
    elif path.suffix.lower() == ".zip":
        if not zipfile.is_zipfile(path):
            raise DataError(f"{path}: no such file, or not a zip")
        for name, content in named_members(path):
            *above, last = (part for part in PurePosixPath(name).parts if part != "..")
            if not _hidden((*above, last)):
                read = partial(bytes, content)
                yield SystemFile(f"{path}/{name}", (*folders, *above), last, read)
    else:
        if not path.is_file():
            raise DataError(f"{path}: no such file or folder")
        yield SystemFile(str(path), folders, path.name, partial(read_bytes, path))


def _of_zip(path: Path) -> tuple[str, ...]:
    return (path.stem,) if path.suffix.lower() == ".zip" else ()


def _hidden(parts: Iterable[str]) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in parts)


def _stem(path: Path) -> str:
    """The name of a folder, or of a file without its ending."""
    resolved = path.resolve()
    return resolved.name if resolved.is_dir() else resolved.name.partition(".")[0]


def _grouped(files: Sequence[SystemFile], gold: GoldStandard, path: Path) -> Iterator[Submission]:
    """Files that differ in the data set alone, each group as a submission."""
    names = sorted(gold.scores, key=len, reverse=True)  # "es-en.news" is more than "news"
    groups: dict[tuple[tuple[str, ...], str], dict[str, SystemFile]] = defaultdict(dict)
    for file in files:
        name = next((n for n in names if file.name.endswith(f".{n}.txt")), None)
        start = file.name.removesuffix(f".{name}.txt")
        if name is not None and not start.endswith((".gs", ".input")):
            groups[file.folders, start][name] = file
    if len(names) == 1 and not groups:
        for file in files:
            if file.name.lower().endswith(_TABLES):
                groups[file.folders, file.name.partition(".")[0]][names[0]] = file
    for (folders, start), found in groups.items():
        several = sum(other == folders for other, _ in groups) > 1
        team, run = _team_and_run(folders, start, _stem(path), several=several)
        yield Submission(team, run, {name: found[name] for name in gold.scores if name in found})


def _team_and_run(
    folders: tuple[str, ...], start: str, given: str, *, several: bool
) -> tuple[str, str]:
    """Return the submission whose files begin with ``start``, in ``folders`` below the given path."""
    named = re.search(r"OUTPUT\.([^.]+)(?:\.(.+))?", start, re.IGNORECASE)
    if named and named[2]:
        return named[1], named[2]
    said = named[1] if named else start if several else ""
    inner = folders[-1] if len(folders) > 1 else ""
    alone = said if said and not named else given
    team, run = folders[0] if folders else alone, said or inner
    return team, "" if run == team else run


def read_submission(one: Submission, gold: GoldStandard) -> dict[str, Scores]:
    """The scores of a submission by data set, (n,) in the order of the gold.

    Scores off the scale are counted on stderr.

    Raises:
        DataError: a file is missing or malformed, or the scores of a data set are all the same.
    """
    missing = [name for name in gold.scores if name not in one.files]
    if missing:
        have = ", ".join(file.name for file in one.files.values())
        raise DataError(
            f"{one.origin}: {one.name} has no file for {', '.join(missing)} (*.{missing[0]}.txt); "
            f"it has {have}"
        )
    scores = {}
    for name, file in one.files.items():
        rows = len(gold.scores[name])
        if gold.table:
            scores[name] = _read_table(file, gold, rows)
        else:
            lines = split_lines(decode(file.read(), file.origin))
            scores[name] = submission.parse(lines, file.origin, rows)
        warning = submission.off_scale(scores[name], file.origin)
        if warning and gold.on_scale:
            note(f"warning: {warning}")
    check_defined(one.origin, scores, gold.scores)
    return scores


def read_submissions(
    found: Sequence[Submission], gold: GoldStandard, *, keep_going: bool = False
) -> tuple[list[Submission], list[dict[str, Scores]]]:
    """The submissions that can be scored, and their scores.

    Args:
        found: one or more.
        gold: what they are scored against.
        keep_going: leave out those that are broken, with a warning, if any is left.

    Raises:
        DataError: one is broken; if there are several, all of them are named on stderr.
    """
    sound, scores, broken = [], [], []
    for one in found:
        try:
            scores.append(read_submission(one, gold))
            sound.append(one)
        except DataError as error:
            broken.append(error)
    if broken and len(found) == 1:
        raise broken[0]
    for reason in broken:
        note(f"{'warning: left out' if keep_going and sound else 'error'}: {reason}")
    if broken and not (keep_going and sound):
        raise DataError(
            f"{len(broken)} of {len(found)} submissions cannot be scored; mend them, or rank the "
            "others with --keep-going"
        )
    return sound, scores


def _read_table(file: SystemFile, gold: GoldStandard, rows: int) -> Scores:
    """The scores of a table, found by their ids if the gold has ids."""
    if not Path(file.origin).is_file():
        raise StsError(f"{file.origin}: a table in a zip; unpack it first")
    found = read_column(file.origin, gold.score_column, gold.id_column)
    if gold.ids is None or found.ids is None:
        if len(found.values) != rows:
            raise DataError(
                f"{file.origin}:{found.lines[-1]}: {len(found.values)} scores for {rows} pairs; "
                "expected one for each line of the gold, or --id COLUMN to find them by name"
            )
        return found.values
    place = {one: row for row, one in enumerate(found.ids)}
    missing = [one for one in gold.ids if one not in place]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise DataError(f"{file.origin}: no score for {gold.id_column} {missing[0]!r}{more}")
    unknown = set(found.ids) - set(gold.ids)
    if unknown:
        line, one = next(
            (n, i) for n, i in zip(found.lines, found.ids, strict=True) if i in unknown
        )
        raise DataError(
            f"{file.origin}:{line}: {gold.id_column} {one!r} is not in {gold.name} "
            f"({len(unknown)} such)"
        )
    return found.values[[place[one] for one in gold.ids]]


def check_defined(
    origin: str | Path, scores: Mapping[str, Scores], gold: Mapping[str, Scores]
) -> None:
    """Refuse a submission that gives every scored pair of a data set the same score.

    Raises:
        DataError: it does; Pearson's r is undefined then.
    """
    for name, values in scores.items():
        kept = values[~np.isnan(gold[name])]
        if len(kept) and np.all(kept == kept[0]):
            raise DataError(
                f"{origin}: every scored pair of {name!r} has the score {kept[0]:g}, so that "
                "Pearson's r is undefined; expected scores that differ"
            )
