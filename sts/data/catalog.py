"""Every task and data set that can be scored by name.

``docs/adding-a-data-set.md`` says how to add one. Nothing here opens a file: :mod:`sts.data.fetch`
turns a record into verified data.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sts.data import checksums as files
from sts.data.schema import ENGLISH, SPANISH, SPANISH_ENGLISH, DataFile, DataSet, Task
from sts.errors import UnknownNameError

# The files of the task's wiki. Each address is used by public download scripts, and its two
# folders are the first digits of the md5 of the file's name, as MediaWiki lays them out.
_WIKI = "http://ixa2.si.ehu.eus/stswiki/images/"
ARCHIVES = {
    "2012-train": f"{_WIKI}e/e4/STS2012-en-train.zip",
    "2012": f"{_WIKI}4/40/STS2012-en-test.zip",
    "2013": f"{_WIKI}2/2f/STS2013-en-test.zip",
    "2014": f"{_WIKI}8/8c/STS2014-en-test.zip",
    "2015": f"{_WIKI}d/da/STS2015-en-test.zip",
    "2016": f"{_WIKI}9/98/STS2016-en-test.zip",
    "2014-es-trial": f"{_WIKI}c/c4/STS2014-es-trial.zip",
    "2014-es": f"{_WIKI}9/9a/STS2014-es-test.zip",
    "2015-es": f"{_WIKI}9/9d/STS2015-es-test.zip",
}


def _data_sets(
    entries: tuple[files.Entry, ...],
    path: str,
    *,
    year: int,
    archive: str | None,
    languages: tuple[str, ...] = ENGLISH,
    suffix: str = "",
) -> tuple[DataSet, ...]:
    """The data sets of one folder; ``path`` has the fields {kind} (input or gs) and {name}."""

    def file(kind: str, entry: files.Entry, sha256: str) -> DataFile:
        return DataFile(path.format(kind=kind, name=entry.name), entry.lines, sha256, archive)

    return tuple(
        DataSet(
            name=entry.name + suffix,
            year=year,
            input=file("input", entry, entry.input_sha256),
            gold=file("gs", entry, entry.gold_sha256),
            scored=entry.scored,
            languages=languages,
        )
        for entry in entries
    )


STS2012_TRAIN = _data_sets(
    files.STS2012_TRAIN,
    "2012/train/STS.2012.train.{kind}.{name}.txt",
    year=2012,
    archive=ARCHIVES["2012-train"],
    suffix="-train",
)
_STS2012 = _data_sets(
    files.STS2012,
    "2012/test/STS.2012.test.{kind}.{name}.txt",
    year=2012,
    archive=ARCHIVES["2012"],
)
_STS2013 = _data_sets(
    files.STS2013, "2013/STS.2013.test.{kind}.{name}.txt", year=2013, archive=ARCHIVES["2013"]
)
_STS2014 = _data_sets(
    files.STS2014, "2014/STS.2014.test.{kind}.{name}.txt", year=2014, archive=ARCHIVES["2014"]
)
_STS2015 = _data_sets(
    files.STS2015, "2015/STS.2015.{kind}.{name}.txt", year=2015, archive=ARCHIVES["2015"]
)
_STS2016 = _data_sets(
    files.STS2016, "2016/STS.2016.{kind}.{name}.txt", year=2016, archive=ARCHIVES["2016"]
)

STS2014_ES_TRAIN = _data_sets(
    files.STS2014_ES_TRAIN,
    "2014-es/STS.2014.train.{kind}.{name}.txt",
    year=2014,
    archive=ARCHIVES["2014-es-trial"],
    languages=SPANISH,
)
"""The 65 trial pairs of the Spanish task (*li65*). No task is trained on them: they are Spanish,
and their gold scores, like all of the Spanish tasks of 2014 and 2015, are from 0 to 4."""

_STS2014_ES = _data_sets(
    files.STS2014_ES,
    "2014-es/STS.2014.test.{kind}.{name}.txt",
    year=2014,
    archive=ARCHIVES["2014-es"],
    languages=SPANISH,
)
_STS2015_ES = _data_sets(
    files.STS2015_ES,
    "2015-es/STS.2015.{kind}.{name}.txt",
    year=2015,
    archive=ARCHIVES["2015-es"],
    languages=SPANISH,
)


def _with_translation(dataset: DataSet) -> DataSet:
    """The cross-lingual set with the record of its machine translation."""
    translation = DataFile(
        f"2016-es-en/STS.2016.input.{dataset.name}.translation.txt",
        dataset.input.rows,
        files.TRANSLATION_SHA256_ES_EN[dataset.name],
        archive=None,
    )
    return replace(dataset, translation=translation)


# No address of the cross-lingual archive could be confirmed, so it is never downloaded.
_STS2016_ES_EN = tuple(
    _with_translation(dataset)
    for dataset in _data_sets(
        files.STS2016_ES_EN,
        "2016-es-en/STS.2016.{kind}.{name}.txt",
        year=2016,
        archive=None,
        languages=SPANISH_ENGLISH,
    )
)

STS2016_ES_EN_MULTI_FULL = DataFile(
    "2016-es-en/STS.2016.input.multi.full",
    2973,
    files.MULTI_FULL_SHA256_ES_EN,
    archive=None,
)
"""What the participants of 2016 received as *multi*; 294 of its pairs were scored later and are
the set *multisource*. Its lines end in CRLF."""


_ADDRESS_2017 = (
    "http://alt.qcri.org/semeval2017/task1/data/uploads/sts2017.eval.v1.1.zip",
    "http://alt.qcri.org/semeval2017/task1/data/uploads/sts2017.gs.zip",
)


def _track(track: str, languages: tuple[str, ...]) -> DataSet:
    """A track of 2017: 250 pairs. No copy of its files was available, so no hash is known."""

    def file(kind: str, address: str) -> DataFile:
        path = f"2017/STS.{kind}.{track}.txt"
        return DataFile(path, 250, "", archive=None, address=address)

    sides, gold = file("input", _ADDRESS_2017[0]), file("gs", _ADDRESS_2017[1])
    return DataSet(track, 2017, sides, gold, scored=250, languages=languages)


_STS2017 = (_track("track5.en-en", ENGLISH),)
_STS2017_ES = (_track("track3.es-es", SPANISH),)
_STS2017_ES_EN = (
    _track("track4a.es-en", SPANISH_ENGLISH),
    _track("track4b.es-en", SPANISH_ENGLISH),
)


def _sample(name: str, languages: tuple[str, ...] = ENGLISH) -> DataSet:
    """One set of the sample that ships with the project: 40 pairs, all of them scored."""

    def file(kind: str) -> DataFile:
        return DataFile(f"sample/STS.sample.{kind}.{name}.txt", 40, "", archive=None, packaged=True)

    return DataSet(name, 2026, file("input"), file("gs"), scored=40, languages=languages)


_SAMPLE = (
    _sample("answers"),
    _sample("headlines"),
    _sample("plagiarism"),
    _sample("postediting"),
    _sample("questions"),
    _sample("es-en", SPANISH_ENGLISH),
)

_AGIRRE_2012 = (
    "Eneko Agirre, Daniel Cer, Mona Diab and Aitor Gonzalez-Agirre. 2012. SemEval-2012 Task 6: "
    "A Pilot on Semantic Textual Similarity. In *SEM 2012, pages 385-393."
)
_AGIRRE_2013 = (
    "Eneko Agirre, Daniel Cer, Mona Diab, Aitor Gonzalez-Agirre and Weiwei Guo. 2013. "
    "*SEM 2013 shared task: Semantic Textual Similarity. In *SEM 2013, pages 32-43."
)
_AGIRRE_2014 = (
    "Eneko Agirre, Carmen Banea, Claire Cardie, Daniel Cer, Mona Diab, Aitor Gonzalez-Agirre, "
    "Weiwei Guo, Rada Mihalcea, German Rigau and Janyce Wiebe. 2014. SemEval-2014 Task 10: "
    "Multilingual Semantic Textual Similarity. In SemEval 2014, pages 81-91."
)
_AGIRRE_2015 = (
    "Eneko Agirre, Carmen Banea, Claire Cardie, Daniel Cer, Mona Diab, Aitor Gonzalez-Agirre, "
    "Weiwei Guo, Inigo Lopez-Gazpio, Montse Maritxalar, Rada Mihalcea, German Rigau, Larraitz Uria "
    "and Janyce Wiebe. 2015. SemEval-2015 Task 2: Semantic Textual Similarity, English, Spanish "
    "and Pilot on Interpretability. In SemEval-2015, pages 252-263."
)
_AGIRRE_2016 = (
    "Eneko Agirre, Carmen Banea, Daniel Cer, Mona Diab, Aitor Gonzalez-Agirre, Rada Mihalcea, "
    "German Rigau and Janyce Wiebe. 2016. SemEval-2016 Task 1: Semantic Textual Similarity, "
    "Monolingual and Cross-Lingual Evaluation. In SemEval-2016, pages 497-511."
)

_CER_2017 = (
    "Daniel Cer, Mona Diab, Eneko Agirre, Inigo Lopez-Gazpio and Lucia Specia. 2017. "
    "SemEval-2017 Task 1: Semantic Textual Similarity, Multilingual and Crosslingual Focused "
    "Evaluation. In SemEval-2017, pages 1-14."
)

# A year is trained on every English set that was public before it.
_BEFORE_2013 = STS2012_TRAIN + _STS2012
_BEFORE_2014 = _BEFORE_2013 + _STS2013
_BEFORE_2015 = _BEFORE_2014 + _STS2014
_BEFORE_2016 = _BEFORE_2015 + _STS2015
_BEFORE_2017 = _BEFORE_2016 + _STS2016

_ALL_TASKS = (
    Task(
        "sts2012",
        2012,
        _STS2012,
        STS2012_TRAIN,
        title="SemEval-2012 Task 6, English",
        citation=_AGIRRE_2012,
        licence="research use; MSRpar and MSRvid under the terms of Microsoft Research",
    ),
    Task(
        "sts2013",
        2013,
        _STS2013,
        _BEFORE_2013,
        title="*SEM 2013 shared task, English, without the SMT set of the LDC",
        citation=_AGIRRE_2013,
        licence="research use",
    ),
    Task(
        "sts2014",
        2014,
        _STS2014,
        _BEFORE_2014,
        title="SemEval-2014 Task 10, English",
        citation=_AGIRRE_2014,
        licence="research use",
    ),
    Task(
        "sts2015",
        2015,
        _STS2015,
        _BEFORE_2015,
        title="SemEval-2015 Task 2, English",
        citation=_AGIRRE_2015,
        licence="research use; answers-forums CC BY-SA 3.0 (Stack Exchange)",
    ),
    Task(
        "sts2016",
        2016,
        _STS2016,
        _BEFORE_2016,
        title="SemEval-2016 Task 1, English",
        citation=_AGIRRE_2016,
        licence="research use; answer-answer and question-question CC BY-SA 3.0 (Stack Exchange); "
        "postediting CC BY 4.0; plagiarism CC BY-NC-SA 2.0 UK; headlines Europe Media Monitor",
    ),
    Task(
        "sts2016-es-en",
        2016,
        _STS2016_ES_EN,
        _BEFORE_2016,
        title="SemEval-2016 Task 1, cross-lingual Spanish-English",
        citation=_AGIRRE_2016,
        licence="research use",
    ),
    Task(
        "sts2014-es",
        2014,
        _STS2014_ES,
        _BEFORE_2014,
        title="SemEval-2014 Task 10, Spanish",
        citation=_AGIRRE_2014,
        licence="research use",
    ),
    Task(
        "sts2015-es",
        2015,
        _STS2015_ES,
        _BEFORE_2015,
        title="SemEval-2015 Task 2, Spanish",
        citation=_AGIRRE_2015,
        licence="research use",
    ),
    Task(
        "sts2017",
        2017,
        _STS2017,
        _BEFORE_2017,
        title="SemEval-2017 Task 1, track 5, English",
        citation=_CER_2017,
        licence="research use",
    ),
    Task(
        "sts2017-es",
        2017,
        _STS2017_ES,
        _BEFORE_2017,
        title="SemEval-2017 Task 1, track 3, Spanish",
        citation=_CER_2017,
        licence="research use",
    ),
    Task(
        "sts2017-es-en",
        2017,
        _STS2017_ES_EN,
        _BEFORE_2017,
        title="SemEval-2017 Task 1, tracks 4a and 4b, cross-lingual Spanish-English",
        citation=_CER_2017,
        licence="research use",
    ),
    Task(
        "sample",
        2026,
        _SAMPLE,
        _BEFORE_2016,
        title="The sample that ships with the project: original pairs, not an official test",
        citation="none; written for this project",
        licence="as the project",
    ),
)

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
    """Every data set whose released files were available for a checksum, each once.

    Training sets, trial sets and test sets.
    """
    tests = (
        dataset
        for task in _ALL_TASKS
        for dataset in task.datasets
        if dataset.input.sha256 or dataset.input.packaged
    )
    return (*STS2012_TRAIN, *STS2014_ES_TRAIN, *tests)


def all_files() -> tuple[DataFile, ...]:
    """Every file of :func:`all_data_sets`, each once, and the full *multi* set of 2016."""

    def each() -> Iterator[DataFile]:
        for dataset in all_data_sets():
            yield dataset.input
            yield dataset.gold
            if dataset.translation is not None:
                yield dataset.translation
        yield STS2016_ES_EN_MULTI_FULL

    return tuple(each())
