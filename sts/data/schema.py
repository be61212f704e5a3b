"""The records of the catalogue: files, data sets and tasks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["graded", "labelled"]
"""Pairs with a similarity from 0 to 5, or with a label: paraphrase or not."""

ENGLISH = ("en",)
SPANISH = ("es",)
SPANISH_ENGLISH = ("es", "en")


@dataclass(frozen=True)
class DataFile:
    """One file that can be found, fetched and checked.

    Attributes:
        path: relative to the STS data folder, with ``/``; relative to the folder of this file
            if ``packaged``.
        rows: its number of lines, without a line of column names.
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
class LabelledTable:
    """How a file of labelled pairs is laid out: tabs, a line of column names, a pair a line.

    Attributes:
        left, right, label: the names of the columns.
        positive, negative: the labels of a paraphrase, and those of none.
        untranslated: a sentence that stands for a missing translation; its pair is no
            paraphrase, whatever its label.
        quoted: sentences may be in the quotes of CSV, which are taken off.
        addresses: the columns hold addresses of articles; the pairs are those whose addresses
            both hold a headline, see :mod:`sts.data.addresses`.
    """

    left: str = "sentence1"
    right: str = "sentence2"
    label: str = "label"
    positive: tuple[str, ...] = ("1",)
    negative: tuple[str, ...] = ("0",)
    untranslated: str = ""
    quoted: bool = False
    addresses: bool = False


@dataclass(frozen=True)
class DataSet:
    """One set of pairs, such as *headlines* of 2016.

    Attributes:
        name: the official short name, unique within a year.
        input, gold: the sentences and the scores, one pair per line; one file if ``table``.
        scored: how many lines of the gold file are not empty.
        languages: ``("en",)`` or ``("es",)`` when both sides are in one language;
            ``("es", "en")`` when one side is Spanish and the other English, in any order.
        translation: a recorded translation into English, with the translated sentence always
            in its first column.
        table: how labelled pairs are laid out; None for graded ones.
        translations: recorded translations of all pairs into English, one file a translator, row
            for row, with the table's columns of sentences.
    """

    name: str
    year: int
    input: DataFile
    gold: DataFile
    scored: int
    languages: tuple[str, ...] = ENGLISH
    translation: DataFile | None = None
    table: LabelledTable | None = None
    translations: tuple[DataFile, ...] = ()

    @property
    def kind(self) -> Kind:
        """Whether its pairs have a similarity or a label."""
        return "labelled" if self.table else "graded"


@dataclass(frozen=True)
class Task:
    """Data sets that are evaluated together.

    Attributes:
        datasets: the test sets.
        train: the data sets that a system may be trained on.
        title, citation, licence: for people.
        dev: where the threshold of a labelled task is chosen.
    """

    name: str
    year: int
    datasets: tuple[DataSet, ...]
    train: tuple[DataSet, ...]
    title: str
    citation: str
    licence: str = "research use"
    dev: tuple[DataSet, ...] = ()

    @property
    def kind(self) -> Kind:
        """Scale of its test sets."""
        return self.datasets[0].kind

    @property
    def labelled(self) -> bool:
        """Whether its pairs have labels."""
        return self.kind == "labelled"
