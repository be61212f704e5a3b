"""The records of the catalogue: files, data sets and tasks."""

from __future__ import annotations

from dataclasses import dataclass

ENGLISH = ("en",)
SPANISH = ("es",)
SPANISH_ENGLISH = ("es", "en")


@dataclass(frozen=True)
class DataFile:
    """One file that can be found, fetched and checked.

    Attributes:
        path: relative to the STS data folder, with ``/``; relative to the folder of this file
            if ``packaged``.
        rows: its number of lines.
        sha256: of its bytes, in hexadecimal; empty if only the rows can be checked: for a
            packaged file, which version control keeps, and for one whose hash is not known.
        archive: the official address of the archive it comes in, if one is known.
        packaged: the file ships with the project.
        address: where a user can get a file without a hash, which is never downloaded.
    """

    path: str
    rows: int
    sha256: str = ""
    archive: str | None = None
    packaged: bool = False
    address: str | None = None


@dataclass(frozen=True)
class DataSet:
    """One set of pairs, such as *headlines* of 2016.

    Attributes:
        name: the official short name, unique within a year.
        input, gold: the sentences and the scores, one pair per line.
        scored: how many lines of the gold file are not empty.
        languages: ``("en",)`` or ``("es",)`` when both sides are in one language;
            ``("es", "en")`` when one side is Spanish and the other English, in any order.
        translation: a recorded translation into English, with the translated sentence always
            in its first column.
    """

    name: str
    year: int
    input: DataFile
    gold: DataFile
    scored: int
    languages: tuple[str, ...] = ENGLISH
    translation: DataFile | None = None


@dataclass(frozen=True)
class Task:
    """Data sets that are evaluated together.

    Attributes:
        datasets: the test sets.
        train: the data sets that a system may be trained on.
        title, citation, licence: for people.
    """

    name: str
    year: int
    datasets: tuple[DataSet, ...]
    train: tuple[DataSet, ...]
    title: str
    citation: str
    licence: str = "research use"
