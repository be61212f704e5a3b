"""Labelled pairs: the reader, the files, and every published figure of a simple score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from semaniacs.sts.data import fetch
from semaniacs.sts.data.catalog import PAWS_WIKI_DEV, LabelledTable
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.data.readers import read_labelled
from semaniacs.sts.errors import DataError

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
