"""What the bundled vectors are learned from, out of files a few lines long and out of real ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.pretraining import sentences
from embeddings.pretraining.paraphrases import PARAPHRASES, SYSTEMS
from embeddings.pretraining.sentences import BITEXT, LONGEST, read_glosses, read_sentences, vary
from embeddings.training.pairs.corpora import SentencePair, read_corpus
from sts.errors import DataError
from sts.text.tokenizer import fold
from tests.embeddings.pretraining.data_folder import (
    DAMAGES,
    headline_file,
    write_headlines,
    write_rows,
)

LICENCE = "  1 This software | is free; as is  \n  2 and comes without warranty.  \n"
NOUNS = (
    "00001740 03 n 01 entity 0 001 ~ 00001930 n 0000 | that which exists  \n"
    "00002452 03 n 02 thing 0 affair 1 000 | a separate entity; "
    '"it is a thing of beauty"; "how was I to know?"  \n'
    "00002684 03 n 01 object 0 000 | a unit; a whole\n"
)
WORDNET = [f"data.{part}" for part in ("noun", "verb", "adj", "adv")]
WORDNET_FOLDER = Path("/usr/share/wordnet")

CORPORA: dict[str, list[SentencePair]] = {
    **{f"paraphrases/{name}": [(f"{name} left", f"{name} right")] for name in PARAPHRASES},
    **{f"bitext/{name}": [(f"{name} English", f"{name} foreign")] for name in BITEXT},
}
HEADLINES = {system: [(f"{system} first", f"{system} second")] for system in SYSTEMS}


def write_data(
    folder: Path,
    changed: Mapping[str, list[SentencePair]] | None = None,
    headlines: Mapping[str, list[SentencePair]] = HEADLINES,
) -> Path:
    """Every corpus, one pair each where no others are given, one headline, and WordNet."""
    for name, pairs in (CORPORA | dict(changed or {})).items():
        write_rows(folder / f"{name}.tsv.gz", pairs)
    write_headlines(folder, headlines)
    for name in WORDNET:
        line = f"00000001 00 x 01 word 0 000 | the gloss of {name}\n"
        (folder / name).write_text(LICENCE + line, encoding="utf-8")
    return folder


def read_all(data: Path, held_out: Collection[str] = ()) -> list[str]:
    return read_sentences(data, data, held_out)


# Glosses


def test_a_gloss_is_parted_into_definitions_and_examples(tmp_path: Path) -> None:
    (tmp_path / "data.noun").write_text(LICENCE + NOUNS, encoding="utf-8")
    assert list(read_glosses(tmp_path / "data.noun")) == [
        "that which exists",
        "a separate entity",
        "it is a thing of beauty",
        "how was I to know?",
        "a unit",
        "a whole",
    ]


REGULAR = re.compile(r'[^"|;]+(?:; [^"|;]+)*(?:; "[^"|;]+")*')
"""Definitions, then examples, none of which holds a mark that parts them."""


@pytest.mark.parametrize("name", WORDNET)
def test_the_glosses_of_wordnet_are_read_as_its_manual_says(tmp_path: Path, name: str) -> None:
    if not (WORDNET_FOLDER / name).is_file():
        pytest.skip("WordNet not found; get it with: apt-get install wordnet-base")
    text = (WORDNET_FOLDER / name).read_text("utf-8")
    synsets = re.findall(r"^(\d{8} .*?) \| (.*?) *$", text, re.MULTILINE)
    regular = [(data, gloss) for data, gloss in synsets if REGULAR.fullmatch(gloss)]
    assert len(regular) > 0.9 * len(synsets) > 3000
    lines = "".join(f"{data} | {gloss}  \n" for data, gloss in regular)
    (tmp_path / name).write_text(LICENCE + lines, encoding="utf-8")
    expected = []
    for _, gloss in regular:
        begin = (gloss + '"').index('"')
        definitions = gloss[:begin].split(";")
        expected += [part.strip() for part in definitions if part.strip()]
        expected += [part.strip() for part in re.findall(r'"([^"]+)"', gloss)]
    assert list(read_glosses(tmp_path / name)) == expected


# Sentences


def test_every_source_is_read_in_turn_and_of_bitext_the_english_side(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    assert read_all(data) == [
        *(f"{name} {side}" for name in PARAPHRASES for side in ("left", "right")),
        *(f"{name} English" for name in BITEXT),
        *(f"the gloss of {name}" for name in WORDNET),
        *(f"{system} {which}" for system in SYSTEMS for which in ("first", "second")),
    ]


def test_a_source_is_read_when_its_turn_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, opened = write_data(tmp_path), []

    def noted(path: Path) -> list[SentencePair]:
        opened.append(path.name)
        return read_corpus(path)

    (data / "paraphrases" / f"{PARAPHRASES[2]}.tsv.gz").unlink()
    (data / headline_file("google")).unlink()  # which come last
    monkeypatch.setattr(sentences, "read_corpus", noted)
    with pytest.raises(DataError, match=PARAPHRASES[2]):
        read_sentences(data, data, set())
    assert opened == [f"{name}.tsv.gz" for name in PARAPHRASES[:3]]


def test_a_sentence_comes_once_however_often_it_is_read(tmp_path: Path) -> None:
    pairs = [("one thing", "another"), ("another", "One thing"), ("the gloss of data.adj", "one")]
    changed = {"paraphrases/asset": pairs, "bitext/news.en-de": [("one", "ein")]}
    data = write_data(tmp_path, changed, HEADLINES | {"microsoft": [("google first", "one")]})
    found = read_all(data)
    assert len(set(found)) == len(found)
    assert {"one thing", "another", "One thing", "the gloss of data.adj", "one"} <= set(found)
    assert found == read_all(data)


def test_held_out_sentences_never_come_however_they_are_written(tmp_path: Path) -> None:
    sts, mined = "A girl is styling her hair.", "Kept for mining, of course."
    changed = {
        "paraphrases/asset": [(sts, "one"), (sts.upper() + " !", "two"), ("three", mined)],
        "bitext/news.en-de": [(f"  {sts.lower()}", "a"), ("kept FOR mining of course", "b")],
    }
    held_out = {fold(sts), fold(mined)}
    headlines = HEADLINES | {"yandex": [(mined.upper(), "four")]}
    found = read_all(write_data(tmp_path, changed, headlines), held_out)
    assert {"one", "two", "three", "four"} <= set(found)
    assert {fold(sentence) for sentence in found}.isdisjoint(held_out)
    assert not any("news.en-de" in sentence for sentence in found)


def test_blank_and_very_long_sentences_are_left_out(tmp_path: Path) -> None:
    longest, longer = " ".join(["word"] * LONGEST), " ".join(["word"] * (LONGEST + 1))
    headlines = HEADLINES | {"google": [(longer, "")]}
    data = write_data(tmp_path, {"paraphrases/asset": [(longer, longest)]}, headlines)
    (data / "data.adv").write_text("1 00 r 01 so 0 000 | ;  ; so\n2 no gloss\n", encoding="utf-8")
    found = read_all(data)
    assert longest in found
    assert longer not in found
    assert "so" in found
    assert not any(sentence.isspace() or not sentence for sentence in found)


# What is missing or damaged

NEEDED = [*(f"{name}.tsv.gz" for name in CORPORA), *map(headline_file, SYSTEMS)]


@pytest.mark.parametrize("name", NEEDED)
def test_a_missing_corpus_is_named(tmp_path: Path, name: str) -> None:
    data = write_data(tmp_path)
    (data / name).unlink()
    with pytest.raises(DataError, match=rf"{re.escape(name)}: no such file"):
        read_all(data)


@pytest.mark.parametrize("name", WORDNET)
def test_a_missing_file_of_wordnet_is_named_with_the_command_that_brings_it(
    tmp_path: Path, name: str
) -> None:
    data = write_data(tmp_path)
    (data / name).unlink()
    message = rf"{re.escape(name)}: no such file; get it with: apt-get install wordnet-base"
    with pytest.raises(DataError, match=message):
        read_all(data)


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("name", ["paraphrases/asset.tsv.gz", headline_file("microsoft")])
def test_a_damaged_corpus_is_refused_with_its_name(tmp_path: Path, name: str, kind: str) -> None:
    damage, message = DAMAGES[kind]
    path = write_data(tmp_path) / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=rf"{re.escape(name)}:.*{message}"):
        read_all(tmp_path)


def test_a_file_of_wordnet_that_is_not_text_is_refused(tmp_path: Path) -> None:
    data = write_data(tmp_path)
    (data / "data.verb").write_bytes(b"1 00 v 01 x 0 000 | a\n2 00 v 01 x 0 000 | \xff\n")
    with pytest.raises(DataError, match=r"data\.verb:2: byte 0xff is not UTF-8; convert"):
        read_all(data)


# Small changes

LENGTH = 9


def own_words(sentence: int) -> list[str]:
    """No two sentences share a word, so that every word says where it came from and stood."""
    return [f"{sentence}:{place}" for place in range(LENGTH)]


SENTENCES = [" ".join(own_words(i)) for i in range(3000)]
TOPICS = np.random.default_rng(0).integers(7, size=len(SENTENCES))
VARIED = vary(SENTENCES, TOPICS, 2400, seed=0)


def owners(text: str) -> Counter[int]:
    return Counter(int(word.split(":")[0]) for word in text.split())


def places(text: str) -> list[int]:
    return [int(word.split(":")[1]) for word in text.split()]


def is_stretch(text: str) -> bool:
    found = places(text)
    return found == list(range(found[0], found[0] + len(found)))


EXCHANGED = [text for text in VARIED if len(text.split()) == LENGTH]
SHORTER = [text for text in VARIED if len(text.split()) < LENGTH]
LEFT_OUT = [text for text in SHORTER if not is_stretch(text)]


def test_the_same_seed_makes_the_same_changes_and_another_one_others() -> None:
    assert vary(SENTENCES, TOPICS, 2400, seed=0) == VARIED
    assert set(vary(SENTENCES, TOPICS, 2400, seed=1)).isdisjoint(EXCHANGED)


def test_only_what_has_changed_is_there_and_once() -> None:
    assert set(VARIED).isdisjoint(SENTENCES)
    assert len(set(VARIED)) == len(VARIED) == len(EXCHANGED) + len(SHORTER)
    assert 2000 < len(VARIED) <= 2400  # a stretch may be the whole sentence
    # Whatever word is exchanged, nothing has changed; what is shorter comes once.
    same = vary([" ".join(["same"] * 6)] * 40, np.zeros(40, np.int64), 40, seed=0)
    assert sorted(len(text.split()) for text in same) == [3, 4, 5]


def test_each_way_of_changing_is_taken_in_a_third_of_the_cases() -> None:
    assert 0.3 < len(EXCHANGED) / len(VARIED) < 0.4
    # One gap in the middle shows that words were left out; a stretch has none.
    assert 0.2 < len(LEFT_OUT) / len(VARIED) < 0.37
    assert 0.27 < (len(SHORTER) - len(LEFT_OUT)) / len(VARIED) < 0.5


def test_a_shorter_one_holds_words_of_its_own_sentence_in_their_order() -> None:
    for text in SHORTER:
        assert len(owners(text)) == 1
        assert places(text) == sorted(set(places(text)))
        assert len(text.split()) >= 3
    assert {len(text.split()) for text in LEFT_OUT} == {LENGTH - 1, LENGTH - 2, LENGTH - 3}


def test_a_stretch_begins_in_the_first_half_and_may_reach_the_end() -> None:
    found = Counter((places(text)[0], len(text.split())) for text in SHORTER if is_stretch(text))
    assert all(begin < LENGTH / 2 for begin, _ in found)
    # Of 2400, one in 3 · 4 · 4 begins at the fourth word and ends at the sixth, … or the last.
    assert all(25 < found[3, length] < 80 for length in (3, 4, 5, 6))


def test_exchanged_words_come_from_a_sentence_on_the_same_topic() -> None:
    others = 0
    for text in EXCHANGED:
        (own, kept), *rest = owners(text).most_common()
        assert kept >= LENGTH - 3
        assert len(rest) <= 1  # all from the same other sentence
        assert all(TOPICS[other] == TOPICS[own] for other, _ in rest)
        original = own_words(own)
        changed = [i for i, word in enumerate(text.split()) if word != original[i]]
        assert 1 <= len(changed) <= 3
        others += len(rest)
    assert others > 0.9 * len(EXCHANGED)


def test_a_sentence_alone_on_its_topic_exchanges_words_with_itself() -> None:
    alone = vary(SENTENCES[:300], np.arange(300), 300, seed=0)
    assert any(len(text.split()) == LENGTH for text in alone)
    assert all(len(owners(text)) == 1 for text in alone)


def test_sentences_of_fewer_than_five_words_stay_as_they_are() -> None:
    short = [" ".join(own_words(i)[: 2 + i % 3]) for i in range(200)]
    assert vary(short, np.zeros(200, np.int64), 200, seed=0) == []
    five = [" ".join(own_words(i)[:5]) for i in range(200)]
    changed = vary(short + five, np.zeros(400, np.int64), 400, seed=0)
    assert len(changed) > 150
    assert {len(text.split()) for text in changed} == {2, 3, 4, 5}


@pytest.mark.parametrize(("count", "expected"), [(0, 0), (10, 10), (10_000, 3000)])
def test_no_more_are_changed_than_asked_for(count: int, expected: int) -> None:
    changed = vary(SENTENCES, TOPICS, count, seed=0)
    assert 0.8 * expected <= len(changed) <= expected
    sources: Any = {owners(text).most_common()[0][0] for text in changed}
    assert len(sources) == len(changed)  # each sentence is changed once


def test_no_change_leads_to_what_is_held_out_however_it_is_written() -> None:
    held_out = {fold(text) for text in VARIED[::2]}
    assert held_out.isdisjoint(VARIED)
    assert vary(SENTENCES, TOPICS, 2400, seed=0, held_out=held_out) == VARIED[1::2]


def test_nothing_comes_of_nothing() -> None:
    assert vary([], np.zeros(0, np.int64), 10, seed=0) == []
