"""The catalogue against the real files, and against the rules of what learns from what."""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path, PurePosixPath

import pytest

from semaniacs.sts.data.catalog import STS2012_TRAIN, TASKS, DataSet, all_data_sets, get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.readers import read_pairs
from semaniacs.sts.errors import UnknownNameError

COUNTS = {  # task: (data sets, pairs, scored pairs, train pairs that have a score)
    "sts2012": (5, 3108, 3108, 2234),
    "sts2013": (3, 1500, 1500, 5342),
    "sts2014": (6, 3750, 3750, 6842),
    "sts2015": (5, 8500, 3000, 10592),
    "sts2016": (5, 9183, 1186, 13592),
    "sts2016-es-en": (2, 595, 595, 13592),
    "sts2014-es": (2, 804, 804, 6842),
    "sts2015-es": (2, 751, 751, 10592),
    "sts2017": (1, 250, 250, 14778),
    "sts2017-es": (1, 250, 250, 14778),
    "sts2017-es-en": (2, 500, 500, 14778),
    "sample": (6, 240, 240, 13592),
    "paws-wiki": (1, 6272, 6272, 8000),
    **{f"paws-x-{code}": (1, 2000, 2000, 6272) for code in "de en es fr ja ko zh".split()},
    "paraphraser": (1, 1498, 1498, 7227),
    "paraphraser-strict": (1, 1498, 1498, 7227),
    "dialogue2021-public": (1, 8493, 3107, 5533),
    "dialogue2021-private": (1, 8480, 2791, 5533),
}

ENGLISH_YEARS = ("sts2012", "sts2013", "sts2014", "sts2015", "sts2016")
FILES = [
    file
    for dataset in all_data_sets()
    for file in (dataset.input, dataset.gold, dataset.translation)
    if file
]
OFFICIAL_FILES = [file for file in FILES if not file.packaged]
SEMEVAL_FILES = [file for file in OFFICIAL_FILES if file.path.startswith("20")]
ARCHIVES = {file.archive for file in SEMEVAL_FILES if file.archive}

# task, data set, row, how the left sentence starts, gold
RECORDS = [
    ("sts2012", "MSRpar", 0, "The problem", 4.4),
    ("sts2013", "headlines", 9, "Sachin Tendulkar", 0.8),
    ("sts2014", "headlines", 9, "Suicide bomber", 1.8),
    ("sts2015", "answers-forums", 9, "It might", math.nan),
    ("sts2015", "headlines", -1, "Obama made", 2.0),
    ("sts2016", "headlines", 9, "US presses", math.nan),
    ("sts2016-es-en", "news", 0, "fPenn wrote", 2.2),
    ("sts2014-es", "news", 9, "Este activista", 3.2),
]


def find(task: str, name: str) -> DataSet:
    (found,) = (dataset for dataset in TASKS[task].datasets if dataset.name == name)
    return found


@pytest.mark.parametrize("name", TASKS)
def test_counts(name: str) -> None:
    task = get_task(name)
    pairs = sum(dataset.input.rows for dataset in task.datasets)
    scored = sum(dataset.scored for dataset in task.datasets)
    train = sum(dataset.scored for dataset in task.train)
    assert (len(task.datasets), pairs, scored, train) == COUNTS[name]
    assert task.title and task.citation and task.licence


def test_an_unknown_task_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown task 'sts2018'.*sts2012, .*sample"):
        get_task("sts2018")


def test_a_year_learns_from_all_the_english_years_before_it() -> None:
    for place, year in enumerate(ENGLISH_YEARS):
        expected = STS2012_TRAIN + sum((TASKS[name].datasets for name in ENGLISH_YEARS[:place]), ())
        assert TASKS[year].train == expected


def test_the_other_tasks_learn_what_the_english_task_of_their_year_learns() -> None:
    assert TASKS["sts2012"].train == STS2012_TRAIN
    for name, model in {
        "sts2016-es-en": "sts2016",
        "sample": "sts2016",
        "sts2015-es": "sts2015",
        "sts2014-es": "sts2014",
        "sts2017-es": "sts2017",
        "sts2017-es-en": "sts2017",
    }.items():
        assert TASKS[name].train == TASKS[model].train


def test_no_task_learns_from_its_own_test_sets_or_from_a_later_year() -> None:
    for task in (task for task in TASKS.values() if not task.labelled):
        files = {file for d in task.datasets for file in (d.input, d.gold, d.translation)}
        assert not files & {file for d in task.train for file in (d.input, d.gold)}
        assert all(d.year < task.year or d in STS2012_TRAIN for d in task.train)
        assert all(d.languages == ("en",) for d in task.train)


def test_every_file_is_listed_once_with_a_hash_of_its_own() -> None:
    for file in FILES:
        path = PurePosixPath(file.path)
        assert not path.is_absolute() and ".." not in path.parts and "\\" not in file.path
    assert len(SEMEVAL_FILES) == 2 * (3 + 5 + 3 + 6 + 5 + 5 + 2 + 1 + 2 + 2) + 2
    assert len({file.path for file in FILES}) == len(FILES)
    assert len({file.sha256 for file in OFFICIAL_FILES}) == len(OFFICIAL_FILES)
    assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) for file in OFFICIAL_FILES)
    without = {PurePosixPath(f.path).parts[0] for f in SEMEVAL_FILES if f.archive is None}
    assert without == {"2016-es-en"}, "only the cross-lingual files have no address"
    assert len(ARCHIVES) == 9


def test_addresses_follow_the_rule_of_the_wiki() -> None:
    """MediaWiki keeps a file under the first one and two digits of the md5 of its name."""
    for address in ARCHIVES:
        one, two, name = address.split("/")[-3:]
        digest = hashlib.md5(name.encode(), usedforsecurity=False).hexdigest()
        assert (one, two) == (digest[:1], digest[:2])


@pytest.mark.parametrize("dataset", all_data_sets(), ids=lambda d: d.input.path)
def test_every_data_set_loads_with_its_scored_pairs(sts_data: Path, dataset: DataSet) -> None:
    pairs = load(dataset, sts_data)
    assert (pairs.name, len(pairs), int(pairs.scored.sum())) == (
        dataset.name,
        dataset.input.rows,
        dataset.scored,
    )


@pytest.mark.parametrize("record", RECORDS, ids=str)
def test_first_tenth_and_last_record(
    sts_data: Path, record: tuple[str, str, int, str, float]
) -> None:
    task, name, row, start, gold = record
    pairs = load(find(task, name), sts_data)
    assert pairs.left[row].split()[:2] == start.split()
    assert pairs.gold[row] == pytest.approx(gold, nan_ok=True)


def test_the_recorded_translations_are_files_of_pairs(sts_data: Path) -> None:
    for dataset in TASKS["sts2016-es-en"].datasets:
        assert dataset.translation is not None
        pairs = read_pairs(dataset.name, sts_data / dataset.translation.path)
        assert len(pairs) == dataset.input.rows
        assert not pairs.scored.any()
