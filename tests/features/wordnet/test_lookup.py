"""WordNet's files as arrays, against NLTK's reader, by hand and when they are damaged."""

from __future__ import annotations

import io
import os
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.features.lexicon import WORDNET, WordNet
from semaniacs.sts.errors import DataError
from tests.features.support import path_similarity

DEBIAN = Path("/usr/share/wordnet")
COMMON = "dog cat run house good quickly bank man walk small water entity think red".split()


# --- against NLTK


def database_of_wordnet() -> Path:
    """The folder of WordNet's own files."""
    named = os.environ.get("NLTK_DATA", "").split(os.pathsep)
    places = [*(Path(folder, "corpora", "wordnet") for folder in named if folder), DEBIAN]
    for folder in places:
        if (folder / "data.noun").is_file():
            return folder
    pytest.skip("WordNet's own files are not here; get them with: apt-get install wordnet-base")


@pytest.fixture(scope="module")
def nltk(wordnet: WordNet) -> Any:
    """NLTK's reader, content without a ``lexnames`` file, which Debian leaves out."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    folder = database_of_wordnet()
    nltk.data.path.append(str(folder))  # it opens files only below the folders listed there

    class Reader(WordNetCorpusReader):
        def open(self, fileid: str) -> Any:
            if fileid == "lexnames" and not (folder / fileid).exists():
                return io.StringIO("".join(f"{n:02d}\tunnamed\t1\n" for n in range(45)))
            return super().open(fileid)

        def map_wn(self, version: str = "wordnet") -> None:
            pass

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The multilingual functions")
        yield Reader(str(folder), omw_reader=None)
    nltk.data.path.remove(str(folder))


def senses(nltk: Any, word: str) -> list[Any]:
    """The synsets of the word as it stands; NLTK also looks up what it may be a form of."""
    return [s for s in nltk.synsets(word) if word in map(str.lower, s.lemma_names())]


def by_nltk(nltk: Any, a: str, b: str) -> float:
    """The highest path similarity of a synset of ``a`` with a synset of ``b``."""
    pairs = ((x, y) for x in senses(nltk, a) for y in senses(nltk, b))
    return max((x.path_similarity(y) or 0.0 for x, y in pairs), default=0.0)


def sample(nltk: Any, part: str, n: int) -> list[str]:
    return random.Random(part).sample(sorted(nltk.all_lemma_names(part)), n)


def lemmas(wordnet: WordNet) -> list[str]:
    return [wordnet.lemmas.word(row) for row in range(len(wordnet.lemmas))]


@pytest.mark.parametrize("left", "nvar")
def test_similarity_is_the_highest_path_similarity_of_nltk(
    wordnet: WordNet, nltk: Any, left: str
) -> None:
    rng = random.Random(left)
    for right in "nvar":
        words = list(zip(sample(nltk, left, 25), sample(nltk, right, 40)[15:], strict=True))
        words += [(rng.choice(COMMON), other) for other, _ in words[:5]]
        for a, b in words:
            assert path_similarity(wordnet, a, b) == by_nltk(nltk, a, b), (a, b)


def test_ancestors_are_nltks(wordnet: WordNet, nltk: Any) -> None:
    words = [word for part in "nvar" for word in sample(nltk, part, 40)]
    nodes, steps, offsets = wordnet.ancestors(wordnet.rows(words))
    for word, begin, end in zip(words, offsets[:-1], offsets[1:], strict=True):
        paths: dict[Any, int] = {}
        roots = []
        for synset in senses(nltk, word):
            above: dict[Any, int] = {}
            for node, far in sorted(synset.hypernym_distances(), key=lambda pair: -pair[1]):
                above[node] = far
            roots.append(max(above.values()) + 1)
            paths |= {node: min(far, paths.get(node, far)) for node, far in above.items()}
        mine = nodes[begin:end]
        assert (np.diff(mine) > 0).all()
        assert mine[-1] == wordnet.root
        assert steps[end - 1] == min(roots)
        assert sorted(steps[begin : end - 1].tolist()) == sorted(paths.values())


# --- looking up


def test_by_hand(wordnet: WordNet) -> None:
    assert path_similarity(wordnet, "dog", "cat") == 1 / 5  # dog canine carnivore feline cat
    assert path_similarity(wordnet, "car", "automobile") == 1.0  # one synset


@pytest.mark.parametrize("word", ["汉字", "\ud800", "a/b"])
def test_odd_words_are_unlisted(wordnet: WordNet, word: str) -> None:
    assert path_similarity(wordnet, word, "cat") == 0.0


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "wordnet.safetensors").write_bytes(WORDNET.read_bytes()[:1000])
    with pytest.raises(DataError, match="wordnet.safetensors: damaged"):
        WordNet(tmp_path / "wordnet.safetensors")
