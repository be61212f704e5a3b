"""Path similarity, against NLTK's own."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from features import wordnet as module
from features.wordnet import WordNet, find_files

COMMON = "dog cat run house good quickly bank man walk small water entity think red".split()


def by_nltk(wordnet: WordNet, a: str, b: str) -> float:
    """The highest path similarity of a synset of ``a`` with a synset of ``b``."""
    synsets = wordnet.reader.synsets
    return max((x.path_similarity(y) or 0.0 for x in synsets(a) for y in synsets(b)), default=0.0)


def sample(wordnet: WordNet, part: str, n: int) -> list[str]:
    return random.Random(part).sample(sorted(wordnet.reader.all_lemma_names(part)), n)


@pytest.mark.parametrize("left", "nvar")
def test_similarity_is_the_highest_path_similarity_of_nltk(wordnet: WordNet, left: str) -> None:
    rng = random.Random(left)
    for right in "nvar":
        words = list(zip(sample(wordnet, left, 25), sample(wordnet, right, 40)[15:], strict=True))
        words += [(rng.choice(COMMON), other) for other, _ in words[:5]]
        for a, b in words:
            expected = by_nltk(wordnet, a, b)
            assert wordnet.similarity(a, b) == pytest.approx(expected, abs=1e-12), (a, b)


def test_similarity_of_common_words_is_nltks(wordnet: WordNet) -> None:
    for i, a in enumerate(COMMON):
        for b in COMMON[i + 1 :]:
            expected = by_nltk(wordnet, a, b)
            assert wordnet.similarity(a, b) == pytest.approx(expected, abs=1e-12), (a, b)
            assert wordnet.similarity(b, a) == wordnet.similarity(a, b)


def test_by_hand(wordnet: WordNet) -> None:
    assert wordnet.similarity("dog", "cat") == 1 / 5  # dog canine carnivore feline cat
    assert wordnet.similarity("car", "automobile") == 1.0  # one synset
    assert wordnet.similarity("dogs", "cat") == 1 / 5  # NLTK knows inflected forms


def test_words_that_wordnet_does_not_list(wordnet: WordNet) -> None:
    assert wordnet.similarity("qqzzxy", "qqzzxy") == 1.0
    assert wordnet.similarity("qqzzxy", "cat") == 0.0
    assert wordnet.similarity("of", "with") == 0.0


@pytest.mark.parametrize("word", ["😀", "汉字", "\ud800", "a/b", "'", "_", "x" * 300, "%"])
def test_odd_words_are_unlisted(wordnet: WordNet, word: str) -> None:
    assert wordnet.similarity(word, "cat") == 0.0


def test_files_are_found_where_nltk_looks_or_where_debian_puts_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nltk

    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "none"), str(tmp_path / "nltk_data")])
    monkeypatch.setattr(module, "_DEBIAN", tmp_path / "debian")
    assert find_files() is None
    for folder in (tmp_path / "debian", tmp_path / "nltk_data" / "corpora" / "wordnet"):
        folder.mkdir(parents=True)
        (folder / "data.noun").touch()
        assert find_files() == folder
