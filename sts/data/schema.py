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
        path: relative to the data folder, with ``/``; to the folder of this file if ``packaged``.
        rows: number of lines, without a header.
        sha256: of its bytes, in hexadecimal; empty if only the rows can be checked: the file is
            packaged, or its hash is not known.
        archive: official address of the archive that holds it, if one is known.
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
    """Layout of a file of labelled pairs: tabs, a header, one pair per line.

    Attributes:
        left, right, label: the names of the columns.
        positive, negative: the labels of paraphrases and of other pairs.
        untranslated: placeholder of a missing translation; its pair is no paraphrase, whatever
            its label.
        quoted: sentences may be in the quotes of CSV, which are taken off.
        addresses: the columns hold addresses of articles; the pairs are those whose addresses
            both hold a headline, see :mod:`semaniacs.sts.data.addresses`.
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
        scored: number of pairs with gold.
        languages: of both sides; ``("es", "en")`` if one side is Spanish and the other English,
            in any order.
        translation: a recorded translation into English, with the translated sentence always
            in its first column.
        table: layout of labelled pairs; None for graded ones.
        translations: recorded translations of labelled pairs into English, row for row.
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
        """Kind of its test sets."""
        return self.datasets[0].kind

    @property
    def labelled(self) -> bool:
        """Whether its pairs have labels."""
        return self.kind == "labelled"
