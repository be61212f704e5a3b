"""Labelled pairs: the reader, the files, and every published figure of a simple score."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from semaniacs.sts.data import fetch
from semaniacs.sts.data.catalog import PAWS_WIKI_DEV, LabelledTable
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.data.readers import headline_of, is_address, read_labelled, slug_of
from semaniacs.sts.errors import DataError

QUOTED = LabelledTable(untranslated="NS", quoted=True)
ADDRESSES = LabelledTable("first_url", "second_url", "quality", ("OK",), ("BAD",), addresses=True)
ADDRESS_HEADER = "first_url\tsecond_url\tquality"


def written(folder: Path, *rows: str, header: str = "id\tsentence1\tsentence2\tlabel") -> Path:
    path = folder / "pairs.tsv.gz"
    path.write_bytes(
        gzip.compress("".join(f"{row}\n" for row in (header, *rows)).encode(), mtime=0)
    )
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
        ("1\ta\tb\tyes", r"pairs.tsv.gz:3: label 'yes', expected 0 or 1"),
        ("1\ta\tb", r"pairs.tsv.gz:3: 3 columns, expected 4"),
        ("1\t \tb\t0", r"pairs.tsv.gz:3: a sentence is empty"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_labelled("toy", written(tmp_path, "1\ta\tb\t1", row), QUOTED)
    with pytest.raises(DataError, match=r"pairs.tsv.gz:1: no column 'label'"):
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


# Headlines in addresses: what is looked at, and what is not


HAIL = "https://news.example/2020/05/27/na-donu-proshel-silnyj-grad.html"
STORM = "https://site.example/a/531234-silniy_grad_proshel_na_donu/?from=main"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (HAIL, "na donu proshel silnyj grad"),
        (STORM, "silniy grad proshel na donu"),
        ("https://a.example/kak-my-shli/kak-my-shli-v-goru", "kak my shli v goru"),  # the longer
        ("https://a.example/x/za%20nami-prishel-volk", "za nami prishel volk"),
        ("https://a.example/25-05-2020-kak-volk-prishel-k-nam", "kak volk prishel k nam"),
        ("https://a.example/tri-slova-zdes-12", ""),
    ],
)
def test_the_words_of_an_address(address: str, words: str) -> None:
    assert " ".join(slug_of(address)) == words


def test_only_the_path_of_an_address_counts() -> None:
    assert is_address(HAIL)
    assert not any(map(is_address, ("", "604221", "site.example/a", "https://[", "file:///a-b")))
    elsewhere = "http://ria-novosti-i-drugie.example/na-donu-proshel-silnyj-grad.shtml#a-b-c-d-e-f"
    assert slug_of(elsewhere) == slug_of(HAIL)


def test_headlines_are_in_cyrillic() -> None:
    assert headline_of(HAIL) == "на дону прошел сильный град"
    assert headline_of(STORM) == "сильный град прошел на дону"
    assert headline_of("https://a.example/the-old-bridge-was-closed") == "the old bridge was closed"
    assert headline_of("https://a.example/604221") is None


def test_pairs_without_two_headlines_are_left_out(tmp_path: Path) -> None:
    rows = (f"{HAIL}\thttps://a.example/1\tBAD", f"{HAIL}\t{STORM}\tOK")
    pairs = read_labelled("toy", written(tmp_path, *rows, header=ADDRESS_HEADER), ADDRESSES)
    assert pairs.left == ("на дону прошел сильный град",)
    assert pairs.right == ("сильный град прошел на дону",)
    assert pairs.gold.tolist() == [5]


def test_a_row_without_an_address_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, f"{HAIL}\t{STORM}\tOK", f"{HAIL}\t-\tOK", header=ADDRESS_HEADER)
    with pytest.raises(DataError, match=r"pairs.tsv.gz:3: '-' is no address; expected https"):
        read_labelled("toy", path, ADDRESSES)
