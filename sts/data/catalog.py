"""Every task and data set that can be scored by name.

``docs/extending.md`` says how to add one. Nothing here opens a file of pairs:
:mod:`sts.data.fetch` turns a record into verified data.
"""

from __future__ import annotations

import csv
from pathlib import Path

from sts.data.schema import (
    ENGLISH,
    SPANISH,
    SPANISH_ENGLISH,
    DataFile,
    DataSet,
    LabelledTable,
    Task,
)
from sts.errors import UnknownNameError
from sts.files import read_lines


def _table(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a file beside this one."""
    lines = read_lines(Path(__file__).with_name(name))
    return tuple(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


# Counted and hashed (wc -l, sha256sum) on copies of the released files. The SMT set of 2013 is
# sold by the LDC and is not among them.
_CHECKSUMS = _table("checksums.tsv")

# The task's wiki. Each address is used by public download scripts, and its two folders are the
# first digits of the md5 of the file's name, as MediaWiki lays them out.
_WIKI = "http://ixa2.si.ehu.eus/stswiki/images/"


def _released(
    files: str,
    archive: str | None,
    languages: tuple[str, ...] = ENGLISH,
    suffix: str = "",
) -> tuple[DataSet, ...]:
    """The data sets of ``checksums.tsv`` whose paths begin with ``files``.

    Args:
        files: folder and beginning of the names, which end in ``.input.NAME.txt``.
        archive: where they are in the wiki; None if no address could be confirmed.
        languages: of all of them.
        suffix: for the names of the data sets.
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
    """A track of 2017: 250 pairs. No copy of its files was available, so no hash is known."""

    def file(kind: str, archive: str) -> DataFile:
        address = f"http://alt.qcri.org/semeval2017/task1/data/uploads/{archive}.zip"
        return DataFile(f"2017/STS.{kind}.{track}.txt", 250, address=address)

    sides, gold = file("input", "sts2017.eval.v1.1"), file("gs", "sts2017.gs")
    return DataSet(track, 2017, sides, gold, 250, languages)


def _sample(name: str, languages: tuple[str, ...] = ENGLISH) -> DataSet:
    """One set of the sample that ships with the project: 40 pairs, all of them scored."""
    sides, gold = (
        DataFile(f"sample/STS.sample.{kind}.{name}.txt", 40, packaged=True)
        for kind in ("input", "gs")
    )
    return DataSet(name, 2026, sides, gold, 40, languages)


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
    """Labelled pairs: sentences and labels stand in one file, and every row is one by default."""
    file = _LABELLED_FILES[path]
    rows = file.rows if scored is None else scored
    recorded = tuple(_LABELLED_FILES[one] for one in translations)
    return DataSet(name, year, file, file, rows, languages, table=table, translations=recorded)


PAWS_WIKI_DEV = _labelled("paws/wiki-dev.tsv", "wiki-dev", 2019, LabelledTable())
PAWS_WIKI_TEST = _labelled("paws/wiki-test.tsv", "wiki-test", 2019, LabelledTable())
"""78 % of the published test set; no sentence of it stands in the development set."""

PAWS_X_LANGUAGES = ("de", "en", "es", "fr", "ja", "ko", "zh")


def _paws_x(language: str) -> Task:
    """One language of PAWS-X. It learns from the test set of PAWS-Wiki, in English: the
    sentences of PAWS-X come from its development set.
    """
    dev, test = (
        _labelled(
            f"paws-x/{language}/{part}_2k.tsv", f"{language}-{part}", 2019,
            LabelledTable(untranslated="NS", quoted=True), (language,),
        )
        for part in ("dev", "test")
    )  # fmt: skip
    return Task(
        f"paws-x-{language}", 2019, (test,), (PAWS_WIKI_TEST,),
        f"PAWS-X, {language}: pairs with the same words, translated by people",
        "Yang et al. 2019. PAWS-X, EMNLP, pages 3687-3692.",
        "free for any use, acknowledge Google LLC", (dev,),
    )  # fmt: skip


PARAPHRASER_ENGLISH = ("google", "microsoft", "yandex")
"""Translators whose translations of 2016 come with ParaPhraser."""


def _paraphraser(name: str, positive: tuple[str, ...], negative: tuple[str, ...]) -> Task:
    table = LabelledTable("text_1", "text_2", "class", positive, negative)
    train, test = (
        _labelled(
            f"paraphraser/{part}.tsv", f"paraphraser-{part}", 2017, table, ("ru",),
            translations=tuple(f"paraphraser/{part}.en.{one}.{end}" for one in PARAPHRASER_ENGLISH),
        )
        for part, end in (("train", "tsv.gz"), ("test", "tsv"))
    )  # fmt: skip
    return Task(
        name, 2017, (test,), (train,),
        f"ParaPhraser, Russian headlines: class {' and '.join(positive)} against the rest",
        "Pivovarova et al. 2017. ParaPhraser: Russian paraphrase corpus and shared task, AINL.",
        "its own: free, name the authors, say what was changed", (train,),
    )  # fmt: skip


_HEADLINES = {"0525": 5533, "0527": 3107, "0529": 2791}
"""Pairs whose addresses both hold a headline, by the day of the news in 2020."""


def _dialogue(part: str, day: str) -> Task:
    """One test day of the clustering of Dialogue-2021, by the headlines in the addresses."""
    table = LabelledTable(
        "first_url", "second_url", "quality", ("OK",), ("BAD",), addresses=True
    )  # fmt: skip
    train, test = (
        _labelled(
            f"russian-news/dialogue2021-{one}.tsv.gz", f"dialogue2021-{one}", 2021, table,
            ("ru",), _HEADLINES[one],
        )
        for one in ("0525", day)
    )  # fmt: skip
    return Task(
        f"dialogue2021-{part}", 2021, (test,), (train,),
        f"Dialogue-2021, {part} day: the same story or not, by the headlines in the addresses",
        "Gusev and Smurov 2021. Russian News Clustering and Headline Selection, Dialogue.",
        dev=(train,),
    )  # fmt: skip


def _articles(part: str, column: str) -> DataSet:
    table = LabelledTable(f"first_{column}", f"second_{column}", "quality", ("OK",), ("BAD",))
    path = f"russian-news/tgcontest-{part}.tsv"
    return _labelled(path, f"tgcontest-{part}-{column}", 2020, table, ("ru",))


TGCONTEST = {
    (part, column): _articles(part, column)
    for part in ("train", "exam", "honey")
    for column in ("title", "text")
}
"""Titles and texts of pairs of articles that annotators were trained and checked with."""


_AGIRRE_2012 = "Agirre et al. 2012. SemEval-2012 Task 6, pages 385-393."
_AGIRRE_2013 = "Agirre et al. 2013. *SEM 2013 shared task, pages 32-43."
_AGIRRE_2014 = "Agirre et al. 2014. SemEval-2014 Task 10, pages 81-91."
_AGIRRE_2015 = "Agirre et al. 2015. SemEval-2015 Task 2, pages 252-263."
_AGIRRE_2016 = "Agirre et al. 2016. SemEval-2016 Task 1, pages 497-511."
_CER_2017 = "Cer et al. 2017. SemEval-2017 Task 1, pages 1-14."

# A year is trained on every English set that was public before it.
_BEFORE_2013 = STS2012_TRAIN + _STS2012
_BEFORE_2014 = _BEFORE_2013 + _STS2013
_BEFORE_2015 = _BEFORE_2014 + _STS2014
_BEFORE_2016 = _BEFORE_2015 + _STS2015
_BEFORE_2017 = _BEFORE_2016 + _STS2016

_ALL_TASKS = (
    Task(
        "sts2012", 2012, _STS2012, STS2012_TRAIN, "SemEval-2012 Task 6, English", _AGIRRE_2012,
        "research use; MSRpar and MSRvid under the terms of Microsoft Research",
    ),
    Task(
        "sts2013", 2013, _STS2013, _BEFORE_2013,
        "*SEM 2013 shared task, English, without the SMT set of the LDC", _AGIRRE_2013,
    ),
    Task("sts2014", 2014, _STS2014, _BEFORE_2014, "SemEval-2014 Task 10, English", _AGIRRE_2014),
    Task(
        "sts2015", 2015, _STS2015, _BEFORE_2015, "SemEval-2015 Task 2, English", _AGIRRE_2015,
        "research use; answers-forums CC BY-SA 3.0 (Stack Exchange)",
    ),
    Task(
        "sts2016", 2016, _STS2016, _BEFORE_2016, "SemEval-2016 Task 1, English", _AGIRRE_2016,
        "research use; answer-answer and question-question CC BY-SA 3.0 (Stack Exchange); "
        "postediting CC BY 4.0; plagiarism CC BY-NC-SA 2.0 UK; headlines Europe Media Monitor",
    ),
    Task(
        "sts2016-es-en", 2016, _STS2016_ES_EN, _BEFORE_2016,
        "SemEval-2016 Task 1, cross-lingual Spanish-English", _AGIRRE_2016,
    ),
    Task(
        "sts2014-es", 2014, _STS2014_ES, _BEFORE_2014,
        "SemEval-2014 Task 10, Spanish", _AGIRRE_2014,
    ),
    Task(
        "sts2015-es", 2015, _STS2015_ES, _BEFORE_2015,
        "SemEval-2015 Task 2, Spanish", _AGIRRE_2015,
    ),
    Task(
        "sts2017", 2017, (_track("track5.en-en", ENGLISH),), _BEFORE_2017,
        "SemEval-2017 Task 1, track 5, English", _CER_2017,
    ),
    Task(
        "sts2017-es", 2017, (_track("track3.es-es", SPANISH),), _BEFORE_2017,
        "SemEval-2017 Task 1, track 3, Spanish", _CER_2017,
    ),
    Task(
        "sts2017-es-en", 2017,
        tuple(_track(f"track{track}.es-en", SPANISH_ENGLISH) for track in ("4a", "4b")),
        _BEFORE_2017,
        "SemEval-2017 Task 1, tracks 4a and 4b, cross-lingual Spanish-English", _CER_2017,
    ),
    Task(
        "sample", 2026,
        (
            *map(_sample, ("answers", "headlines", "plagiarism", "postediting", "questions")),
            _sample("es-en", SPANISH_ENGLISH),
        ),
        _BEFORE_2016,
        "The sample that ships with the project: original pairs, not an official test",
        "none; written for this project",
        "as the project",
    ),
    Task(
        "paws-wiki", 2019, (PAWS_WIKI_TEST,), (PAWS_WIKI_DEV,),
        "PAWS-Wiki, labelled, final: pairs with the same words, often in another order",
        "Zhang et al. 2019. PAWS: Paraphrase Adversaries from Word Scrambling, NAACL, 1298-1308.",
        "free for any use, acknowledge Google LLC", (PAWS_WIKI_DEV,),
    ),
    *map(_paws_x, PAWS_X_LANGUAGES),
    _paraphraser("paraphraser", ("0", "1"), ("-1",)),
    _paraphraser("paraphraser-strict", ("1",), ("-1", "0")),
    _dialogue("public", "0527"),
    _dialogue("private", "0529"),
)  # fmt: skip

TASKS: dict[str, Task] = {task.name: task for task in _ALL_TASKS}
"""Every task by name, in the order in which they are listed."""


def get_task(name: str) -> Task:
    """The task called ``name``.

    Raises:
        UnknownNameError: there is none; the message lists those there are.
    """
    if name not in TASKS:
        raise UnknownNameError("task", name, tuple(TASKS))
    return TASKS[name]


def all_data_sets() -> tuple[DataSet, ...]:
    """Every graded set whose files could be checked, each once: training, trial and test sets."""
    graded = (task for task in _ALL_TASKS if not task.labelled)
    tests = (dataset for task in graded for dataset in task.datasets)
    known = (test for test in tests if test.input.sha256 or test.input.packaged)
    return (*STS2012_TRAIN, *STS2014_ES_TRAIN, *known)
