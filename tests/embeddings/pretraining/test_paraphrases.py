"""The pairs that mean the same, out of files a few lines long and a translator of reversed text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from embeddings.pretraining.paraphrases import (
    SPANISH,
    SYSTEMS,
    draw_pairs,
    headline_pairs,
    headlines,
    translated_pairs,
)
from embeddings.training.pairs.corpora import SentencePair
from sts.errors import DataError, StsError
from sts.text.tokenizer import fold
from sts.translation.memory.cached_translator import CachedTranslator
from sts.translation.memory.store import TranslationMemory
from tests.embeddings.pretraining.data_folder import (
    DAMAGES,
    NAMES_OF_COLUMNS,
    headline_file,
    write_headlines,
    write_rows,
)
from tests.sts.translation.fakes import FakeProvider, recall

# Corpora of pairs

PAIRS = {
    "asset": [(f"left {i}", f"right {i}") for i in range(50)],
    "twitter-url": [("A cat.", "a cat"), ("u", "v"), ("V", "u"), ("x", "y")],
}
WANTED = (("twitter-url", 10), ("asset", 20))


def write_pairs(data: Path, changed: Mapping[str, list[SentencePair]] | None = None) -> Path:
    for name, pairs in (PAIRS | dict(changed or {})).items():
        write_rows(data / "paraphrases" / f"{name}.tsv.gz", pairs)
    return data


def test_so_many_pairs_of_each_corpus_are_drawn_in_order(tmp_path: Path) -> None:
    drawn = draw_pairs(write_pairs(tmp_path), WANTED, 0, set())
    small, large = drawn[:2], drawn[2:]
    assert small == [("u", "v"), ("x", "y")]  # neither the same words nor a pair again
    assert len(large) == 20
    assert sorted(large, key=PAIRS["asset"].index) == large
    assert drawn == draw_pairs(tmp_path, WANTED, 0, set())


def test_another_seed_draws_other_pairs_and_zero_draws_none(tmp_path: Path) -> None:
    data = write_pairs(tmp_path)
    drawn = [draw_pairs(data, (("asset", 20),), seed, set()) for seed in (0, 1)]
    assert drawn[0] != drawn[1]
    assert draw_pairs(data, (("asset", 0),), 0, set()) == []


def test_no_pair_with_a_held_out_side_is_drawn(tmp_path: Path) -> None:
    sts = "A girl is styling her hair."
    pairs = PAIRS["asset"] + [(f"Not {i}", sts) for i in range(3)]
    held_out = {fold(sts), *(fold(f"RIGHT, {i}!") for i in range(0, 50, 2))}
    write_pairs(tmp_path, {"asset": pairs})
    drawn = draw_pairs(tmp_path, (("asset", 99),), 0, held_out)
    assert drawn == PAIRS["asset"][1::2]


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_corpus_is_refused_with_its_name(tmp_path: Path, kind: str) -> None:
    damage, message = DAMAGES[kind]
    path = write_pairs(tmp_path) / "paraphrases" / "asset.tsv.gz"
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=rf"asset\.tsv\.gz:.*{message}"):
        draw_pairs(tmp_path, (("asset", 1),), 0, set())


# Translations of bitext

BITEXT = {
    name: [(f"English sentence {i} of {name}", f"oración {i} de {name}") for i in range(20)]
    for name in SPANISH
}
ALL = [pair for pairs in BITEXT.values() for pair in pairs]


def said(pairs: list[SentencePair]) -> list[SentencePair]:
    """What comes of bitext: the translator turns a text round."""
    return [(english, spanish[::-1]) for english, spanish in pairs]


class Bitext:
    """Two files of bitext, and who translates them."""

    def __init__(self, folder: Path) -> None:
        self.data, self.provider = folder, FakeProvider()
        self.memory = TranslationMemory(folder / "translations.jsonl")
        self.write({})

    def write(self, changed: Mapping[str, list[SentencePair]]) -> None:
        for name, pairs in (BITEXT | dict(changed)).items():
            write_rows(self.file(name), pairs)

    def file(self, name: str) -> Path:
        return self.data / "bitext" / f"{name}.tsv.gz"

    def pairs(self, count: int = 99, seed: int = 0, *held_out: str) -> list[SentencePair]:
        translator = CachedTranslator(self.provider, self.memory)
        return translated_pairs(self.data, translator, count, seed, set(map(fold, held_out)))


@pytest.fixture
def bitext(tmp_path: Path) -> Bitext:
    return Bitext(tmp_path)


def test_english_stands_beside_the_english_of_its_spanish_in_the_order_of_the_files(
    bitext: Bitext,
) -> None:
    assert bitext.pairs() == said(ALL)
    assert bitext.provider.asked == [spanish for _, spanish in ALL]
    assert recall(bitext.memory, ALL[0][1]) == ALL[0][1][::-1]  # from Spanish to English


def test_so_many_sentences_are_drawn_and_no_others_translated(bitext: Bitext) -> None:
    drawn = bitext.pairs(15)
    assert len(drawn) == 15
    assert [pair for pair in said(ALL) if pair in drawn] == drawn
    assert {name for name in SPANISH if any(name in english for english, _ in drawn)} == {*SPANISH}
    assert bitext.provider.asked == [translated[::-1] for _, translated in drawn]


def test_the_seed_alone_decides_which_are_drawn(bitext: Bitext) -> None:
    first, again, other = (bitext.pairs(15, seed) for seed in (0, 0, 1))
    assert first == again
    assert set(first) != set(other)
    assert bitext.pairs(0) == []


def test_what_was_translated_once_is_not_translated_again(bitext: Bitext) -> None:
    first = bitext.pairs()
    bitext.provider.asked.clear()
    assert bitext.pairs() == first
    assert bitext.provider.asked == []


def test_held_out_english_and_held_out_translations_are_left_out(bitext: Bitext) -> None:
    english, translation = ALL[3][0], ALL[30][1][::-1]
    kept = said(ALL[:3] + ALL[4:30] + ALL[31:])
    assert bitext.pairs(99, 0, f"{english.upper()} !", translation.upper()) == kept
    assert ALL[3][1] not in bitext.provider.asked  # which is known before
    assert ALL[30][1] in bitext.provider.asked


def test_what_is_held_out_takes_no_place_in_the_draw(bitext: Bitext) -> None:
    held_out = [english for english, _ in ALL[:25]]
    assert bitext.pairs(15, 0, *held_out) == said(ALL[25:])


def test_short_english_is_left_out(bitext: Bitext) -> None:
    five, four = "it has five words altogether", "it has four words"
    spanish = "una frase cualquiera que es mucho más larga"
    bitext.write({SPANISH[0]: [(four, "otra"), (five, spanish), ("Yes.", "Sí.")]})
    assert bitext.pairs() == said([(five, spanish), *BITEXT[SPANISH[1]]])


def test_a_pair_and_its_mirror_image_come_once_and_the_same_words_never(bitext: Bitext) -> None:
    same, pair = "these are the very same words", ("f g h i j", "e d c b a")
    mirror = ("a b c d e", "j i h g f")
    bitext.write({SPANISH[0]: [(same, same[::-1].upper()), pair, pair], SPANISH[1]: [mirror]})
    assert bitext.pairs() == [("f g h i j", "a b c d e")]


def test_without_a_translator_it_is_told_how_to_get_one(bitext: Bitext) -> None:
    bitext.provider.ready = False
    with pytest.raises(StsError, match=r"have no es->en translation.*apt-get install fake"):
        bitext.pairs()


@pytest.mark.parametrize("name", SPANISH)
def test_missing_bitext_is_named(bitext: Bitext, name: str) -> None:
    bitext.file(name).unlink()
    with pytest.raises(DataError, match=rf"{re.escape(name)}\.tsv\.gz: no such file"):
        bitext.pairs()
    assert bitext.provider.asked == []


@pytest.mark.parametrize("kind", DAMAGES)
def test_damaged_bitext_is_refused_with_its_name(bitext: Bitext, kind: str) -> None:
    damage, message = DAMAGES[kind]
    path = bitext.file(SPANISH[1])
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=rf"{re.escape(path.name)}:.*{message}"):
        bitext.pairs()
    assert bitext.provider.asked == []


# Translations of headlines


def write_versions(data: Path, *versions: tuple[str, str, str]) -> Path:
    """A file a system: of two headlines a row, each in as many versions as there are systems."""
    by_system = dict(zip(SYSTEMS, zip(*versions, strict=True), strict=True))
    write_headlines(
        data,
        {name: list(zip(told[::2], told[1::2], strict=True)) for name, told in by_system.items()},
    )
    return data


ONE = ("google says one thing", "microsoft says one thing", "yandex says one thing")
OTHER = ("google says another", "microsoft says another", "yandex says another")


def test_every_systems_headlines_are_read_in_one_order_without_the_names_of_columns(
    tmp_path: Path,
) -> None:
    data = write_versions(tmp_path, ONE, OTHER, ("a", "b", "c"), ("", "e", "f"))
    assert headlines(data) == {
        "google": [ONE[0], OTHER[0], "a", ""],
        "microsoft": [ONE[1], OTHER[1], "b", "e"],
        "yandex": [ONE[2], OTHER[2], "c", "f"],
    }


def test_any_two_versions_of_the_same_headline_are_a_pair(tmp_path: Path) -> None:
    assert headline_pairs(write_versions(tmp_path, ONE, OTHER), set()) == [
        (version[i], version[j]) for version in (ONE, OTHER) for i, j in ((0, 1), (0, 2), (1, 2))
    ]


def test_where_two_systems_agree_they_are_no_pair_and_the_third_is_in_one(tmp_path: Path) -> None:
    first, again, other = "Oil prices rise.", "oil prices RISE", "oil becomes more expensive"
    data = write_versions(tmp_path, (first, again, other), ("all say this",) * 3)
    assert headline_pairs(data, set()) == [(first, other)]


def test_a_pair_of_versions_and_its_mirror_image_come_once(tmp_path: Path) -> None:
    left, right, short = "the bank was robbed", "a bank was robbed", "robbed"
    turned = ("A bank was robbed!", short, "The bank was robbed.")
    data = write_versions(tmp_path, (left, right, short), turned)
    assert headline_pairs(data, set()) == [(left, right)]


def test_short_versions_are_left_out_and_the_others_stay(tmp_path: Path) -> None:
    data = write_versions(tmp_path, ("two words", "three words now", "four words it is"), OTHER)
    expected = [("three words now", "four words it is"), (OTHER[0], OTHER[1])]
    assert headline_pairs(data, set())[:2] == expected


def test_held_out_versions_are_left_out_and_the_others_stay(tmp_path: Path) -> None:
    data = write_versions(tmp_path, ONE, OTHER)
    held_out = {fold(f"{ONE[1].upper()}!"), fold(OTHER[0]), fold(OTHER[2])}
    assert headline_pairs(data, held_out) == [(ONE[0], ONE[2])]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("rows", [1, 3])
def test_files_of_different_lengths_are_refused_with_their_names_and_rows(
    tmp_path: Path, system: str, rows: int
) -> None:
    data = write_versions(tmp_path, *(ONE,) * 4)
    row = ("1", "a headline of one system", "and another one")
    write_rows(data / headline_file(system), [NAMES_OF_COLUMNS, *[row] * rows])
    odd = "microsoft" if system == "google" else system  # all are held against the first
    found, expected = (2, rows) if system == "google" else (rows, 2)
    message = rf"{odd}\.tsv\.gz: {found} rows; expected {expected}, as in .*google\.tsv\.gz; fetch"
    for read in (headlines, lambda folder: headline_pairs(folder, set())):
        with pytest.raises(DataError, match=message):
            read(data)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_missing_file_of_headlines_is_named(tmp_path: Path, system: str) -> None:
    path = write_versions(tmp_path, ONE, OTHER) / headline_file(system)
    path.unlink()
    with pytest.raises(DataError, match=rf"{re.escape(path.name)}: no such file"):
        headline_pairs(tmp_path, set())


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_file_of_headlines_is_refused_with_its_name(tmp_path: Path, kind: str) -> None:
    damage, message = DAMAGES[kind]
    path = write_versions(tmp_path, ONE, OTHER) / headline_file("yandex")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=rf"{re.escape(path.name)}:.*{message}"):
        headline_pairs(tmp_path, set())
