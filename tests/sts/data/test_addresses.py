"""Headlines in addresses: what is looked at, and what is not."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from semaniacs.sts.data.catalog import LabelledTable
from semaniacs.sts.data.readers import headline_of, is_address, read_labelled, slug_of
from semaniacs.sts.errors import DataError

TABLE = LabelledTable("first_url", "second_url", "quality", ("OK",), ("BAD",), addresses=True)
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


def written(folder: Path, *rows: str) -> Path:
    path = folder / "pairs.tsv.gz"
    lines = ("first_url\tsecond_url\tquality", *rows)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0))
    return path


def test_pairs_without_two_headlines_are_left_out(tmp_path: Path) -> None:
    rows = (f"{HAIL}\thttps://a.example/1\tBAD", f"{HAIL}\t{STORM}\tOK")
    pairs = read_labelled("toy", written(tmp_path, *rows), TABLE)
    assert pairs.left == ("на дону прошел сильный град",)
    assert pairs.right == ("сильный град прошел на дону",)
    assert pairs.gold.tolist() == [5]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (f"{HAIL}\t-\tOK", r"pairs.tsv.gz:3: '-' is no address; expected https"),
        (f"{HAIL}\t{STORM}\tGOOD", r"pairs.tsv.gz:3: quality 'GOOD', expected BAD or OK"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, row: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_labelled("toy", written(tmp_path, f"{HAIL}\t{STORM}\tOK", row), TABLE)
