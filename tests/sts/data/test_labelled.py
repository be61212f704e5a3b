"""Labelled pairs: the reader, the files, and every published figure of a simple score."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from semaniacs.sts.data import fetch
from semaniacs.sts.data.catalog import (
    PAWS_WIKI_DEV,
    PAWS_WIKI_TEST,
    PAWS_X_LANGUAGES,
    DataSet,
    LabelledTable,
    get_task,
)
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.data.readers import read_labelled
from semaniacs.sts.errors import DataError
from semaniacs.sts.scoring.classification import (
    best_f1_threshold,
    best_threshold,
    score_classification,
)

QUOTED = LabelledTable(untranslated="NS", quoted=True)


def written(folder: Path, *rows: str, header: str = "id\tsentence1\tsentence2\tlabel") -> Path:
    path = folder / "pairs.tsv"
    path.write_text("".join(f"{row}\n" for row in (header, *rows)), encoding="utf-8")
    return path


def test_labels_become_the_ends_of_the_scale(tmp_path: Path) -> None:
    pairs = read_labelled("toy", written(tmp_path, "7\tA b .\tB a .\t0", "9\tC\tD\t1"), QUOTED)
    assert pairs == Pairs("toy", ("A b .", "C"), ("B a .", "D"), np.array([0.0, 5.0]))


def test_quotes_come_off_where_all_inside_are_doubled(tmp_path: Path) -> None:
    rows = ('1\t"Er spielte in ""Angel Eyes"" ."\t"a" und "b"\t1', '2\t""" ein Wort"\t"\t1')
    pairs = read_labelled("toy", written(tmp_path, *rows), QUOTED)
    assert pairs.left == ('Er spielte in "Angel Eyes" .', '" ein Wort')
    assert pairs.right == ('"a" und "b"', '"')
    kept = read_labelled("toy", written(tmp_path, *rows), LabelledTable())
    assert kept.left[0] == '"Er spielte in ""Angel Eyes"" ."'


def test_a_missing_translation_is_no_paraphrase(tmp_path: Path) -> None:
    path = written(tmp_path, "1\tNS\tUn gato\t1", "2\tUn gato\tEl gato\t1")
    assert read_labelled("toy", path, QUOTED).gold.tolist() == [0, 5]
    assert read_labelled("toy", path, LabelledTable()).gold.tolist() == [5, 5]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("1\ta\tb\tyes", r"pairs.tsv:3: label 'yes', expected 0 or 1"),
        ("1\ta\tb\t", r"pairs.tsv:3: label '', expected 0 or 1"),
        ("1\ta\tb", r"pairs.tsv:3: 3 columns, expected 4"),
        ("1\t \tb\t0", r"pairs.tsv:3: a sentence is empty"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_labelled("toy", written(tmp_path, "1\ta\tb\t1", row), QUOTED)
    with pytest.raises(DataError, match=r"pairs.tsv:1: no column 'label'"):
        read_labelled("toy", written(tmp_path, header="id\tsentence1\tsentence2"), QUOTED)


def test_labelled_sets_lie_beside_sts(tmp_path: Path) -> None:
    (tmp_path / "sts").mkdir()
    (tmp_path / "paws").mkdir()
    copy = tmp_path / PAWS_WIKI_DEV.input.path
    copy.touch()
    for named in (tmp_path, tmp_path / "sts"):
        found = fetch.locate(PAWS_WIKI_DEV.input, named)
        assert found is not None
        assert found.samefile(copy)


# --- the real files


@pytest.fixture(scope="module")
def labelled_data(sts_data: Path) -> Path:
    if fetch.locate(PAWS_WIKI_DEV.input, sts_data) is None:
        pytest.skip("labelled data not found beside the STS data")
    return sts_data


POSITIVES = {"de": 895, "en": 907, "es": 907, "fr": 903, "ja": 883, "ko": 896, "zh": 894}

Words = Callable[[str], set[str]]


def tokens(text: str) -> set[str]:
    return set(text.lower().split())


def bigrams(text: str) -> set[str]:
    return {" ".join(pair) for pair in pairwise(text.lower().split())}


def characters(text: str, size: int = 1) -> set[str]:
    joined = "".join(text.lower().split())
    return {joined[place : place + size] for place in range(len(joined) - size + 1)}


def russian_words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def trigrams(text: str) -> set[str]:
    joined = " ".join(re.findall(r"\w+", text.lower()))
    return {joined[place : place + 3] for place in range(len(joined) - 2)}


def jaccard(dataset: DataSet, data: Path, of: Words) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores; the published figures are of PAWS-X fields with their quotes on."""
    assert dataset.table is not None
    as_they_came = replace(dataset, table=replace(dataset.table, quoted=False))
    pairs = fetch.load(as_they_came, data)
    sides = [(of(one), of(other)) for one, other in zip(pairs.left, pairs.right, strict=True)]
    scores = np.array([len(a & b) / len(a | b) if a | b else 0.0 for a, b in sides])
    return (pairs.gold > 0).astype(int), scores


TABLE = {
    "paws-wiki": ((0.4991, 0.4273, 0.5584), (0.6857, 0.6167, 0.6437, 0.6616)),
    "paws-x-en": ((0.5060, 0.4404, 0.5465), (0.7047, 0.6529, 0.6530, 0.6480)),
    "paws-x-de": ((0.5621, 0.5097, 0.5630), (0.6184, 0.6005, 0.6135, 0.6245)),
    "paws-x-es": ((0.5635, 0.5171, 0.5655), (0.6144, 0.5877, 0.5920, 0.6165)),
    "paws-x-fr": ((0.5970, 0.5457, 0.5840), (0.6342, 0.6084, 0.6085, 0.6405)),
    "paws-x-ja": ((0.5164, 0.4446, 0.5575), (0.5406, 0.4742, 0.5645, 0.6075)),
    "paws-x-ko": ((0.5572, 0.4996, 0.5585), (0.5641, 0.5295, 0.5785, 0.6350)),
    "paws-x-zh": ((0.5268, 0.4776, 0.5530), (0.5708, 0.5475, 0.5860, 0.6070)),
}


def figures(task: str, data: Path, of: Words) -> list[float]:
    """AUC, average precision and accuracy of a Jaccard index, and its accuracy on dev."""
    (dev,), (test,) = get_task(task).dev, get_task(task).datasets
    labels, scores = jaccard(dev, data, of)
    threshold = best_threshold(labels, scores)
    chosen = score_classification(labels, scores, threshold).accuracy
    found = score_classification(*jaccard(test, data, of), threshold)
    return [round(x, 4) for x in (found.auc, found.average_precision, found.accuracy, chosen)]


@pytest.mark.parametrize("task", TABLE)
def test_the_figures_of_jaccard(labelled_data: Path, task: str) -> None:
    unspaced = task[-2:] in ("ja", "zh")
    singles, pairs = TABLE[task]
    one = figures(task, labelled_data, characters if unspaced else tokens)
    assert one[:3] == list(singles)
    two = figures(task, labelled_data, partial(characters, size=2) if unspaced else bigrams)
    assert two == list(pairs)


@pytest.mark.parametrize(
    ("task", "of", "expected", "threshold"),
    [
        ("paraphraser", russian_words, (0.7571, 0.8330, 0.6629, 0.7716), 0.0833),
        ("paraphraser", trigrams, (0.8014, 0.8621, 0.7170, 0.7922), 0.2206),
        ("paraphraser-strict", russian_words, (0.7536, 0.5026, 0.8184, 0.4706), None),
        ("paraphraser-strict", trigrams, (0.7947, 0.5320, 0.8144, 0.5226), None),
    ],
)
def test_the_figures_of_paraphraser(
    labelled_data: Path, task: str, of: Words, expected: tuple[float, ...], threshold: float | None
) -> None:
    (train,), (test,) = get_task(task).dev, get_task(task).datasets
    dev, tested = (jaccard(dataset, labelled_data, of) for dataset in (train, test))
    by_accuracy = score_classification(*tested, best_threshold(*dev))
    for_f1 = best_f1_threshold(*dev)
    by_f1 = score_classification(*tested, for_f1)
    found = (by_accuracy.auc, by_accuracy.average_precision, by_accuracy.accuracy, by_f1.f1)
    assert tuple(round(x, 4) for x in found) == expected
    if threshold is not None:
        assert round(for_f1, 4) == threshold


QUOTED_FIELDS = {
    "de": (9, 158), "en": (0, 0), "es": (254, 404), "fr": (388, 490), "ja": (12, 0),
    "ko": (234, 429), "zh": (5, 14),
}  # fmt: skip


@pytest.mark.parametrize("language", PAWS_X_LANGUAGES)
def test_so_many_fields_lose_their_quotes(labelled_data: Path, language: str) -> None:
    task = get_task(f"paws-x-{language}")
    changed = []
    for dataset in (*task.dev, *task.datasets):
        pairs = fetch.load(dataset, labelled_data)
        assert dataset.table is not None
        raw = fetch.load(
            replace(dataset, table=replace(dataset.table, quoted=False)), labelled_data
        )
        cells = zip(pairs.left + pairs.right, raw.left + raw.right, strict=True)
        changed.append(sum(one != other for one, other in cells))
    assert tuple(changed) == QUOTED_FIELDS[language]


def test_labels_and_missing_translations(labelled_data: Path) -> None:
    for dataset, positives in ((PAWS_WIKI_DEV, 3539), (PAWS_WIKI_TEST, 2770)):
        assert (fetch.load(dataset, labelled_data).gold > 0).sum() == positives
    for language in PAWS_X_LANGUAGES:
        (test,) = get_task(f"paws-x-{language}").datasets
        pairs = fetch.load(test, labelled_data)
        assert (pairs.gold > 0).sum() == POSITIVES[language]
        missing = [row for row in range(2000) if "NS" in (pairs.left[row], pairs.right[row])]
        assert not pairs.gold[missing].any()
    assert not fetch.load(PAWS_WIKI_TEST, labelled_data, with_gold=False).scored.any()
