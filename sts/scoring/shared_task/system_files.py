"""Submissions as organisers receive them: files, folders and zips, of one team or many."""

from __future__ import annotations

import re
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from glob import escape
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np

from semaniacs.sts.data.archives import named_members
from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.data.table_kinds import is_table
from semaniacs.sts.encodings import named_encoding
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import lines_in, read_bytes
from semaniacs.sts.progress import note
from semaniacs.sts.scoring import submission
from semaniacs.sts.scoring.shared_task.gold_standard import GoldStandard, read_column


class SystemFile(NamedTuple):
    """File of scores in a folder or a zip, and a function that returns its content.

    Attributes:
        origin: path, for errors.
        folders: the folders above it, below the path that the user named.
    """

    origin: str
    folders: tuple[str, ...]
    name: str
    read: Callable[[], bytes]


@dataclass(frozen=True)
class Submission:
    """One run of one team, as files or folders name them; a run may be empty.

    Attributes:
        files: by data set; some may be missing.
    """

    team: str
    run: str
    files: Mapping[str, SystemFile]

    @property
    def name(self) -> str:
        """Team and run, with a space between."""
        return f"{self.team} {self.run}".rstrip()

    @property
    def origin(self) -> str:
        """Path of the only file, or the folder or zip of several."""
        first = next(iter(self.files.values())).origin
        return first if len(self.files) == 1 else first.rpartition("/")[0]


def find_submissions(paths: Sequence[Path], gold: GoldStandard) -> list[Submission]:
    """Return every submission in files, folders and zips, in the order of their names.

    A file name ends in the name of its data set, as in ``STS2016.OUTPUT.TEAM.RUN.headlines.txt``.
    Files with the same beginning in one folder are one submission. The team is the first of
    several names after ``OUTPUT``, else the outermost folder below the path that was given; where
    several paths were given, each is a team. With one data set a file may have any name.

    Raises:
        DataError: a path is missing or damaged, holds no such file, or two submissions have the
            same name.
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
    """Yield the files of a folder, a zip, or the zips of a folder, without hidden ones."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            inner = file.relative_to(path).parts
            if file.is_file() and not _hidden(inner):
                zipped = (file.stem,) if file.suffix.lower() == ".zip" else ()
                yield from _files(file, (*folders, *inner[:-1], *zipped))
    elif path.suffix.lower() == ".zip":
        if not zipfile.is_zipfile(path):
            raise DataError(f"{path}: no such file, or not a zip")
        for name, content in named_members(path):
            *above, last = (part for part in PurePosixPath(name).parts if part != "..")
            if not _hidden((*above, last)):
                yield SystemFile(
                    f"{path}/{name}", (*folders, *above), last, partial(bytes, content)
                )
    else:
        if not path.is_file():
            raise DataError(f"{path}: no such file or folder")
        yield SystemFile(str(path), folders, path.name, partial(read_bytes, path))


def _hidden(parts: Iterable[str]) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in parts)


def _stem(path: Path) -> str:
    """Return the name of a folder, or of a file without its ending."""
    resolved = path.resolve()
    return resolved.name if resolved.is_dir() else resolved.name.partition(".")[0]


def _grouped(files: Sequence[SystemFile], gold: GoldStandard, path: Path) -> Iterator[Submission]:
    """Yield files that differ in the data set only as one submission."""
    names = sorted(gold.scores, key=len, reverse=True)  # "es-en.news" is more than "news"
    groups: dict[tuple[tuple[str, ...], str], dict[str, SystemFile]] = defaultdict(dict)
    for file in files:
        name = next((n for n in names if file.name.endswith(f".{n}.txt")), None)
        start = file.name.removesuffix(f".{name}.txt")
        if name is not None and not start.endswith((".gs", ".input")):
            groups[file.folders, start][name] = file
    if len(names) == 1 and not groups:
        for file in files:
            if file.name.lower().endswith((".txt", ".gz")) or is_table(file.name):
                groups[file.folders, file.name.partition(".")[0]][names[0]] = file
    for (folders, start), found in groups.items():
        several = sum(other == folders for other, _ in groups) > 1
        team, run = _team_and_run(folders, start, _stem(path), several=several)
        yield Submission(team, run, {name: found[name] for name in gold.scores if name in found})


def _team_and_run(
    folders: tuple[str, ...], start: str, given: str, *, several: bool
) -> tuple[str, str]:
    """Return team and run of files that begin with ``start``, in folders below a given path."""
    named = re.search(r"OUTPUT\.([^.]+)(?:\.(.+))?", start, re.IGNORECASE)
    if named and named[2]:
        return named[1], named[2]
    said = named[1] if named else start if several else ""
    inner = folders[-1] if len(folders) > 1 else ""
    alone = said if said and not named else given
    team, run = folders[0] if folders else alone, said or inner
    return team, "" if run == team else run


def read_submission(one: Submission, gold: GoldStandard) -> dict[str, Scores]:
    """Return (n,) scores by data set in the order of the gold; warn of scores off the scale.

    A DataError is raised if a file is missing or malformed, or all scores of a data set are the
    same.
    """
    missing = [name for name in gold.scores if name not in one.files]
    if missing:
        name, first = next(iter(one.files.items()))
        start = escape(first.name.removesuffix(f".{name}.txt"))
        beside = [
            path.name for path in Path(first.origin).parent.glob(f"{start}*")
        ]  # none in a zip
        have = ", ".join(sorted(beside) or [file.name for file in one.files.values()])
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
            lines = lines_in(file.read(), file.origin, named_encoding())
            scores[name] = submission.parse(lines, file.origin, rows)
        warning = submission.off_scale(scores[name], file.origin)
        if warning and gold.on_scale:
            note(f"warning: {warning}")
    check_defined(one.origin, scores, gold.scores)
    return scores


def read_submissions(
    found: Sequence[Submission], gold: GoldStandard, *, keep_going: bool = False
) -> tuple[list[Submission], list[dict[str, Scores]]]:
    """Return the submissions that can be scored, and their scores.

    With ``keep_going`` broken submissions are skipped with a warning, if any other is left.
    Otherwise one is a DataError; if there are several, stderr names all of them.
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
    """Return the scores of a table, matched by ids if the gold has ids."""
    if not Path(file.origin).is_file():
        raise StsError(f"{file.origin}: a table in a zip; unpack it first")
    found = read_column(file.origin, gold.score_column, gold.id_column)
    if gold.ids is None or found.ids is None:
        if len(found.values) != rows:
            raise DataError(
                f"{file.origin}:{found.lines[-1]}: {len(found.values)} scores for {rows} pairs; "
                "expected one for each line of the gold, or --id COLUMN to find them by name"
            )
        if column := found.order_of(gold.others):
            raise DataError(
                f"{file.origin}: its column {column} is in another order than that of {gold.name}; "
                f"to find the scores by it: --id {column}"
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
    """Raise a :class:`DataError` if every scored pair of a data set has the same score."""
    for name, values in scores.items():
        kept = values[~np.isnan(gold[name])]
        if len(kept) and np.all(kept == kept[0]):
            raise DataError(
                f"{origin}: every scored pair of {name!r} has the score {kept[0]:g}, so that "
                "Pearson's r is undefined; expected scores that differ"
            )
