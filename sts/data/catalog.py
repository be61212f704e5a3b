"""Every task and data set that can be scored by name.

``docs/extending.md`` says how to add one. Beside this file ``checksums.tsv`` and ``labelled.tsv``
list the files, ``tasks.tsv`` titles, citations and licences. No file of pairs is opened here.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from semaniacs.sts.errors import UnknownNameError
from semaniacs.sts.files import read_lines

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
            both hold a headline, see :mod:`semaniacs.sts.data.readers`.
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
    def kind(self) -> Literal["graded", "labelled"]:
        """Whether its pairs have a similarity from 0 to 5, or a label: paraphrase or not."""
        return "labelled" if self.table else "graded"


@dataclass(frozen=True)
class Task:
    """Data sets that are evaluated together.

    Attributes:
        datasets: the test sets.
        train: the data sets that a system may be trained on.
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
    def labelled(self) -> bool:
        """Whether its pairs have labels."""
        return self.datasets[0].kind == "labelled"


# The catalogue


def _table(name: str) -> list[dict[str, str]]:
    lines = read_lines(Path(__file__).with_name(name))
    return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


# Graded pairs

# Counted and hashed (wc -l, sha256sum) on copies of the released files. The SMT set of 2013 is
# sold by the LDC and is not among them.
_CHECKSUMS = _table("checksums.tsv")

# The task's wiki. Each address is used by public download scripts, and its two folders are the
# first digits of the md5 of the file's name, as MediaWiki lays them out.
_WIKI = "http://ixa2.si.ehu.eus/stswiki/images/"


def _released(
    files: str, archive: str | None, languages: tuple[str, ...] = ENGLISH, suffix: str = ""
) -> tuple[DataSet, ...]:
    """Return the data sets of ``checksums.tsv`` whose paths are ``FILES.input.NAME.txt``.

    ``archive`` is their place in the wiki; None if no address could be confirmed.
    """

    def one(row: dict[str, str]) -> DataSet:
        def file(kind: str, sha256: str, end: str = ".txt") -> DataFile:
            path = f"{files}.{kind}.{row['name']}{end}"
            return DataFile(path, int(row["lines"]), sha256, archive and _WIKI + archive)

        translation = row["translation sha256"]
        return DataSet(
            row["name"] + suffix,
            int(files[:4]),
            file("input", row["input sha256"]),
            file("gs", row["gold sha256"]),
            int(row["scored"]),
            languages,
            file("input", translation, ".translation.txt") if translation else None,
        )

    return tuple(one(row) for row in _CHECKSUMS if row["files"] == files)


STS2012_TRAIN = _released("2012/train/STS.2012.train", "e/e4/STS2012-en-train.zip", suffix="-train")
_STS2012 = _released("2012/test/STS.2012.test", "4/40/STS2012-en-test.zip")
_STS2013 = _released("2013/STS.2013.test", "2/2f/STS2013-en-test.zip")
_STS2014 = _released("2014/STS.2014.test", "8/8c/STS2014-en-test.zip")
_STS2015 = _released("2015/STS.2015", "d/da/STS2015-en-test.zip")
_STS2016 = _released("2016/STS.2016", "9/98/STS2016-en-test.zip")
_STS2016_ES_EN = _released("2016-es-en/STS.2016", None, SPANISH_ENGLISH)

STS2014_ES_TRAIN = _released("2014-es/STS.2014.train", "c/c4/STS2014-es-trial.zip", SPANISH)
"""The 65 trial pairs of the Spanish task (*li65*). No task is trained on them: they are Spanish,
and their gold scores, like all of the Spanish tasks of 2014 and 2015, are from 0 to 4."""

_STS2014_ES = _released("2014-es/STS.2014.test", "9/9a/STS2014-es-test.zip", SPANISH)
_STS2015_ES = _released("2015-es/STS.2015", "9/9d/STS2015-es-test.zip", SPANISH)


def _track(track: str, languages: tuple[str, ...]) -> DataSet:
    """Return a track of 2017: 250 pairs. No copy was available, so no hash is known."""

    uploads = "http://alt.qcri.org/semeval2017/task1/data/uploads"
    sides, gold = (
        DataFile(f"2017/STS.{kind}.{track}.txt", 250, address=f"{uploads}/{archive}.zip")
        for kind, archive in (("input", "sts2017.eval.v1.1"), ("gs", "sts2017.gs"))
    )
    return DataSet(track, 2017, sides, gold, 250, languages)


def _sample(name: str, languages: tuple[str, ...] = ENGLISH) -> DataSet:
    """Return one set of the sample that ships with the project: 40 pairs, all of them scored."""
    sides, gold = (
        DataFile(f"sample/STS.sample.{kind}.{name}.txt", 40, packaged=True)
        for kind in ("input", "gs")
    )
    return DataSet(name, 2026, sides, gold, 40, languages)


# Labelled pairs: sentences and labels are in one file, and every row counts by default

_LABELLED_FILES = {
    row["path"]: DataFile(row["path"], int(row["rows"]), row["sha256"])
    for row in _table("labelled.tsv")
}


def _labelled(
    path: str,
    name: str,
    year: int,
    table: LabelledTable,
    languages: tuple[str, ...] = ENGLISH,
    scored: int | None = None,
    translations: tuple[str, ...] = (),
) -> DataSet:
    file = _LABELLED_FILES[path]
    rows = file.rows if scored is None else scored
    recorded = tuple(_LABELLED_FILES[one] for one in translations)
    return DataSet(name, year, file, file, rows, languages, table=table, translations=recorded)


PAWS_WIKI_DEV = _labelled("paws/wiki-dev.tsv", "wiki-dev", 2019, LabelledTable())
PAWS_WIKI_TEST = _labelled("paws/wiki-test.tsv", "wiki-test", 2019, LabelledTable())
"""78 % of the published test set; none of its sentences is in the development set."""

PAWS_X_LANGUAGES = ("de", "en", "es", "fr", "ja", "ko", "zh")


def _paws_x(language: str, part: str) -> DataSet:
    table = LabelledTable(untranslated="NS", quoted=True)
    path = f"paws-x/{language}/{part}_2k.tsv"
    return _labelled(path, f"{language}-{part}", 2019, table, (language,))


def _paraphraser(part: str, positive: tuple[str, ...], negative: tuple[str, ...]) -> DataSet:
    table = LabelledTable("text_1", "text_2", "class", positive, negative)
    end = "tsv.gz" if part == "train" else "tsv"
    translators = ("google", "microsoft", "yandex")  # of 2016
    translations = tuple(f"paraphraser/{part}.en.{one}.{end}" for one in translators)
    path, name = f"paraphraser/{part}.tsv", f"paraphraser-{part}"
    return _labelled(path, name, 2017, table, ("ru",), translations=translations)


_HEADLINES = {"0525": 5533, "0527": 3107, "0529": 2791}
"""Pairs whose addresses both hold a headline, by the day of the news in 2020."""


def _dialogue(day: str) -> DataSet:
    table = LabelledTable("first_url", "second_url", "quality", ("OK",), ("BAD",), addresses=True)
    path, name = f"russian-news/dialogue2021-{day}.tsv.gz", f"dialogue2021-{day}"
    return _labelled(path, name, 2021, table, ("ru",), _HEADLINES[day])


# Tasks. A year is trained on every English set that was public before it.

_BEFORE_2013 = STS2012_TRAIN + _STS2012
_BEFORE_2014 = _BEFORE_2013 + _STS2013
_BEFORE_2015 = _BEFORE_2014 + _STS2014
_BEFORE_2016 = _BEFORE_2015 + _STS2015
_BEFORE_2017 = _BEFORE_2016 + _STS2016

_ABOUT = {row["name"]: row for row in _table("tasks.tsv")}


def _task(
    name: str,
    datasets: tuple[DataSet, ...],
    train: tuple[DataSet, ...],
    dev: tuple[DataSet, ...] = (),
) -> Task:
    about = _ABOUT[name]
    texts = (about["title"], about["citation"], about["licence"])
    return Task(name, int(about["year"]), datasets, train, *texts, dev)


def _with_dev(name: str, test: DataSet, train: DataSet, dev: DataSet | None = None) -> Task:
    """Return a labelled task whose threshold is chosen on ``dev``, or on its training set."""
    return _task(name, (test,), (train,), (dev or train,))


_ALL_TASKS = (
    _task("sts2012", _STS2012, STS2012_TRAIN),
    _task("sts2013", _STS2013, _BEFORE_2013),
    _task("sts2014", _STS2014, _BEFORE_2014),
    _task("sts2015", _STS2015, _BEFORE_2015),
    _task("sts2016", _STS2016, _BEFORE_2016),
    _task("sts2016-es-en", _STS2016_ES_EN, _BEFORE_2016),
    _task("sts2014-es", _STS2014_ES, _BEFORE_2014),
    _task("sts2015-es", _STS2015_ES, _BEFORE_2015),
    _task("sts2017", (_track("track5.en-en", ENGLISH),), _BEFORE_2017),
    _task("sts2017-es", (_track("track3.es-es", SPANISH),), _BEFORE_2017),
    _task(
        "sts2017-es-en",
        (_track("track4a.es-en", SPANISH_ENGLISH), _track("track4b.es-en", SPANISH_ENGLISH)),
        _BEFORE_2017,
    ),
    _task(
        "sample",
        (
            *map(_sample, ("answers", "headlines", "plagiarism", "postediting", "questions")),
            _sample("es-en", SPANISH_ENGLISH),
        ),
        _BEFORE_2016,
    ),
    _with_dev("paws-wiki", PAWS_WIKI_TEST, PAWS_WIKI_DEV),
    # The sentences of PAWS-X come from the development set of PAWS-Wiki.
    *(
        _with_dev(f"paws-x-{code}", _paws_x(code, "test"), PAWS_WIKI_TEST, _paws_x(code, "dev"))
        for code in PAWS_X_LANGUAGES
    ),
    *(
        _with_dev(name, _paraphraser("test", *labels), _paraphraser("train", *labels))
        for name, labels in (
            ("paraphraser", (("0", "1"), ("-1",))),
            ("paraphraser-strict", (("1",), ("-1", "0"))),
        )
    ),
    _with_dev("dialogue2021-public", _dialogue("0527"), _dialogue("0525")),
    _with_dev("dialogue2021-private", _dialogue("0529"), _dialogue("0525")),
)

TASKS: dict[str, Task] = {task.name: task for task in _ALL_TASKS}
"""Every task by name, in the order in which they are listed."""


def get_task(name: str) -> Task:
    """Return the task called ``name``; an UnknownNameError lists the names of all."""
    if name not in TASKS:
        raise UnknownNameError("task", name, tuple(TASKS))
    return TASKS[name]


def all_data_sets() -> tuple[DataSet, ...]:
    """Return every graded set with known files, each once: training, trial and test sets."""
    graded = (task for task in _ALL_TASKS if not task.labelled)
    tests = (dataset for task in graded for dataset in task.datasets)
    known = (test for test in tests if test.input.sha256 or test.input.packaged)
    return (*STS2012_TRAIN, *STS2014_ES_TRAIN, *known)
