"""WordNet's files as arrays, against NLTK's reader and against a database of a dozen synsets."""

from __future__ import annotations

import io
import os
import random
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.tokenizers.ragged import Ragged
from features.wordnet.lookup import PATH, WordNet
from features.wordnet.make_relations import PARTS, build
from sts.errors import DataError
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


def test_the_table_that_ships_is_made_of_these_files(tmp_path: Path) -> None:
    build(database_of_wordnet(), tmp_path / "wordnet.safetensors")
    assert (tmp_path / "wordnet.safetensors").read_bytes() == PATH.read_bytes()


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


def lists(ragged: Ragged) -> list[list[int]]:
    """Each row as a list."""
    bounds = zip(ragged.offsets[:-1], ragged.offsets[1:], strict=True)
    return [ragged.flat[begin:end].tolist() for begin, end in bounds]


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


def test_every_lemma_of_nltk_is_listed(wordnet: WordNet, nltk: Any) -> None:
    assert lemmas(wordnet) == sorted(set(nltk.all_lemma_names()), key=str.encode)


@pytest.mark.parametrize("part", "nvar")
def test_words_meet_in_a_synset_where_they_do_in_nltk(
    wordnet: WordNet, nltk: Any, part: str
) -> None:
    words = sample(nltk, part, 50)
    words += [name.lower() for w in words for s in senses(nltk, w) for name in s.lemma_names()]
    numbers = lists(wordnet.synsets(words))
    known = [set(senses(nltk, word)) for word in words]
    for i, mine in enumerate(numbers):
        assert mine == sorted(set(mine))
        assert len(mine) == len(known[i])
        for j, others in enumerate(numbers):
            assert len(set(mine) & set(others)) == len(known[i] & known[j]), (words[i], words[j])


@pytest.mark.parametrize("part", "nvar")
def test_antonyms_are_nltks(wordnet: WordNet, nltk: Any, part: str) -> None:
    words = [*sample(nltk, part, 200), *COMMON]
    for word, rows in zip(words, lists(wordnet.antonyms(words)), strict=True):
        lemmas = [m for s in senses(nltk, word) for m in s.lemmas() if m.name().lower() == word]
        expected = {other.name().lower() for lemma in lemmas for other in lemma.antonyms()}
        assert {wordnet.lemmas.word(row) for row in rows} == expected, word


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
    opposites = wordnet.antonyms(["big", "buy", "cat"])
    found = [{wordnet.lemmas.word(row) for row in rows} for rows in lists(opposites)]
    assert found == [{"little", "small"}, {"sell"}, set()]


@pytest.mark.parametrize("word", ["😀", "汉字", "\ud800", "a/b", "'", "_", "x" * 300, "%"])
def test_odd_words_are_unlisted(wordnet: WordNet, word: str) -> None:
    assert path_similarity(wordnet, word, "cat") == 0.0


# --- a database of our own

SYNSETS: tuple[tuple[str, str, str], ...] = (
    ("n", "entity", ""),
    ("n", "animal", "@ 0 0000"),
    ("n", "dog hound", "@ 1 0000"),
    ("n", "cat", "@ 1 0000"),
    ("n", "Rex", "@i 2 0000"),
    ("n", "pet", "@ 1 0000 @ 0 0000"),
    ("v", "mount rise", "! 7 0201"),
    ("v", "fall", "! 6 0102"),
    ("v", "chase dog", ""),
    ("a", "hot(p)", "! 10 0101"),
    ("a", "cold", "! 9 0101 & 11 0000"),
    ("s", "chilly", "& 10 0000"),
    ("r", "coldly", "\\ 10 0101"),
)
"""Part of speech, words, and pointers: symbol, place of the synset here, numbers of words."""

LICENCE = "  1 Free to use.  \n  2 No warranty.  \n"


def lines_of(offsets: dict[int, int]) -> dict[str, list[tuple[int, str]]]:
    """The lines of each data file, and which synset is on them."""
    files: dict[str, list[tuple[int, str]]] = {part: [] for part in PARTS}
    for i, (kind, words, links) in enumerate(SYNSETS):
        fields = links.split()
        pointers = [
            f"{symbol} {offsets.get(int(place), 0):08d} {SYNSETS[int(place)][0]} {numbers}"
            for symbol, place, numbers in zip(*(fields[j::3] for j in range(3)), strict=True)
        ]
        said = " ".join(f"{word} 0" for word in words.split())
        head = f"{offsets.get(i, 0):08d} 00 {kind} {len(words.split()):02x} {said}"
        frames = " 01 + 02 00" if kind == "v" else ""
        line = " ".join([head, f"{len(pointers):03d}", *pointers]) + frames + " | as it is  \n"
        files["a" if kind == "s" else kind].append((i, line))
    return files


def write_database(folder: Path) -> Path:
    """``SYNSETS`` in the format of WordNet."""
    folder.mkdir(parents=True, exist_ok=True)
    offsets: dict[int, int] = {}
    for lines in lines_of({}).values():
        position = len(LICENCE)
        for i, line in lines:
            offsets[i] = position
            position += len(line)
    for part, lines in lines_of(offsets).items():
        text = LICENCE + "".join(line for _, line in lines)
        (folder / f"data.{PARTS[part]}").write_text(text)
        index: dict[str, list[int]] = {}
        for i, _ in lines:
            for word in SYNSETS[i][1].lower().replace("(p)", "").split():
                index.setdefault(word, []).append(offsets[i])
        entries = (
            f"{word} {part} {len(found)} 1 @ {len(found)} 0 {' '.join(f'{o:08d}' for o in found)}  "
            for word, found in sorted(index.items())
        )
        (folder / f"index.{PARTS[part]}").write_text(LICENCE + "".join(f"{e}\n" for e in entries))
    return folder


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return write_database(tmp_path / "wordnet")


def built(database: Path) -> WordNet:
    build(database, database / "wordnet.safetensors")
    return WordNet(database / "wordnet.safetensors")


def test_what_a_database_says(database: Path) -> None:
    wordnet = built(database)
    words = [name.lower().replace("(p)", "").split() for _, name, _ in SYNSETS]
    listed = sorted({word for synset in words for word in synset})
    assert lemmas(wordnet) == listed
    assert lists(wordnet.synsets(["dog", "hot", "chilly", "Rex"])) == [[2, 8], [9], [11], []]
    assert lists(wordnet.hypernyms)[:7] == [[], [0], [1], [1], [2], [0, 1], []]
    opposites = {
        word: [wordnet.lemmas.word(row) for row in rows]
        for word, rows in zip(listed, lists(wordnet.antonyms(listed)), strict=True)
        if rows
    }
    assert opposites == {"rise": ["fall"], "fall": ["rise"], "hot": ["cold"], "cold": ["hot"]}
    # rex dog animal entity root; pet animal entity root, its farthest ancestor one step away
    assert wordnet.heights[[0, 4, 5, 9]].tolist() == [1, 4, 2, 1]
    assert wordnet.root == len(SYNSETS)


@pytest.mark.parametrize(
    ("a", "b", "steps"),
    [
        ("dog", "hound", 0),
        ("dog", "cat", 2),
        ("rex", "cat", 3),
        ("pet", "entity", 1),
        ("chase", "hound", 1 + 3),  # over the root, which is nearer to the verb
        ("chase", "dog", 0),
        ("hot", "cold", 2),
        ("quick", "cold", np.inf),
    ],
)
def test_steps_in_a_small_database(database: Path, a: str, b: str, steps: float) -> None:
    wordnet = built(database)
    assert path_similarity(wordnet, a, b) == path_similarity(wordnet, b, a) == 1 / (1 + steps)


DAMAGE: dict[str, tuple[str, str, str]] = {
    "a byte lost": ("data.noun", "cat 0", "at 0"),
    "another word": ("data.noun", "cat 0", "cut 0"),
    "another part": ("data.noun", " 00 n", " 00 v"),
    "no such part": ("data.noun", "@ 00000038 n", "@ 00000038 x"),
    "no such synset": ("data.noun", "@ 00000038", "@ 00000039"),
    "no number": ("data.noun", "00000038 00", "0000oo38 00"),
    "more words": ("data.noun", " 01 cat", " 0f cat"),
    "more pointers": ("data.adv", " 001 ", " 002 "),
    "fewer pointers": ("data.adv", " 001 ", " 000 "),
    "more frames": ("data.verb", " 01 + 02", " 02 + 02"),
    "no such word": ("data.adj", "a 0101 |", "a 0109 |"),
    "a lemma lost": ("index.noun", "\nrex n", "\nrax n"),
    "a sense too many": ("index.noun", "rex n 1", "rex n 2"),
    "a wrong part": ("index.noun", "rex n 1", "rex v 1"),
    "a wrong sense": ("index.verb", "0 00000038", "0 00000039"),
    "an entry cut": ("index.adv", "coldly r 1 1", "coldly r"),
    "no text": ("index.adv", "coldly", "\udcffoldly"),
}  # fmt: skip


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_refused(database: Path, damage: str) -> None:
    name, old, new = DAMAGE[damage]
    text = (database / name).read_text()
    assert old in text
    before, _, after = text.partition(old)
    (database / name).write_bytes((before + new + after).encode("utf-8", "surrogateescape"))
    with pytest.raises(
        DataError, match=rf"^{re.escape(str(database))}.*(install it again|not UTF-8)"
    ):
        built(database)


def test_a_missing_file_is_named(database: Path) -> None:
    (database / "index.verb").unlink()
    with pytest.raises(DataError, match=r"index\.verb: no such file"):
        built(database)


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "wordnet.safetensors").write_bytes(PATH.read_bytes()[:1000])
    with pytest.raises(DataError, match="wordnet.safetensors: damaged"):
        WordNet(tmp_path / "wordnet.safetensors")
