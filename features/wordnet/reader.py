"""The files of WordNet's database, read into arrays of numbers.

The format is wndb(5WN) of WordNet 3.0 (Fellbaum, 1998): ``data.*`` holds a synset
a line, known by the byte at which its line begins, and ``index.*`` a lemma a line.
What the arrays leave out is not read: glosses, most pointers, ``lexnames``, lists
of exceptions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from embeddings.tokenizers.ragged import Ragged
from features.wordnet.ancestors import Steps, heights_of
from sts.errors import DataError
from sts.files import decode

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""Parts of speech, and how the files of each end."""

FILES = tuple(f"{kind}.{part}" for kind in ("data", "index") for part in PARTS.values())
"""The files that are read."""

_PART_OF = {**{letter: letter for letter in PARTS}, "s": "a"}  # s: an adjective's satellite
_HYPERNYMS = ("@", "@i")
_ANTONYM = "!"


class Relations(NamedTuple):
    """What WordNet says, in numbers.

    A lemma's row is its place in ``lemmas``; a synset's number is its place in the
    files, nouns first, then verbs, adjectives and adverbs. ``synsets`` and
    ``antonyms`` end in a row more, an empty one: row -1 is any lemma not listed.

    Attributes:
        lemmas: the l lemmas; the words of a compound are joined by ``_``.
        synsets: (l + 1) the numbers of the synsets that each lemma stands in, ascending.
        antonyms: (l + 1) the rows of the lemmas opposite to each in some sense,
            ascending; if b is one of a's, a is one of b's.
        hypernyms: (s) the synsets directly above each, those of instances too.
        heights: (s,) steps to the imaginary root, see :func:`features.wordnet.ancestors.heights_of`.
    """

    lemmas: tuple[str, ...]
    synsets: Ragged
    antonyms: Ragged
    hypernyms: Ragged
    heights: Steps


def read_database(files: Mapping[str, bytes], origin: str) -> Relations:
    """The relations in WordNet's files.

    Args:
        files: the bytes of each of ``FILES``.
        origin: where they come from, for messages.

    Raises:
        DataError: a line is not as it should be, or names what is not there; the
            message says which one.
    """
    reader = _Reader(files, origin)
    reader.each("data", reader.count)
    reader.each("index", reader.add_lemma)
    reader.each("data", reader.add_synset)
    return reader.relations()


class _Antonym(NamedTuple):
    """Two words opposite to each other, each the how-manieth of its synset, from 1."""

    place: tuple[str, int]
    synset: int
    word: int
    other_synset: int
    other_word: int


class _Reader:
    """Takes in line after line.

    It holds numbers and no small containers: hundreds of thousands of those keep
    the garbage collector busy for longer than the reading takes. Of two numbers a
    and b it makes one, the pair (a << 32) + b.
    """

    def __init__(self, files: Mapping[str, bytes], origin: str) -> None:
        self.files = files
        self.origin = origin
        self.place = "", 0
        self.synsets: dict[str, dict[int, int]] = {part: {} for part in PARTS}  # by their bytes
        self.synset_count = 0
        self.rows: dict[str, int] = {}
        self.senses: set[int] = set()  # pairs of a lemma and a synset
        self.hypernyms: set[int] = set()  # pairs of a synset and one above it
        self.words: list[int] = []  # the lemmas of each synset, end to end
        self.ends = [0]  # where those of each synset end, and the next one's begin
        self.antonyms: list[_Antonym] = []

    def each(self, kind: str, take: Callable[[str, int, str], None]) -> None:
        """Give ``take`` the text, the first byte and the part of speech of each line."""
        for part, ending in PARTS.items():
            name = f"{kind}.{ending}"
            path = f"{self.origin}/{name}"
            try:
                for number, position, line in _lines(self.files[name], path):
                    self.place = path, number
                    take(line, position, part)
            except IndexError:
                raise _damaged(*self.place, "the line ends too early") from None
            except ValueError as error:
                raise _damaged(*self.place, str(error)) from None

    def count(self, line: str, position: int, part: str) -> None:
        """Number the synset on a line of a data file, so that pointers ahead can be followed."""
        offset = line.partition(" ")[0]
        if int(offset) != position:  # so a byte lost or added anywhere before is noticed
            raise ValueError(f"synset {offset} begins at byte {position}")
        self.synsets[part][position] = self.synset_count
        self.synset_count += 1

    def add_lemma(self, line: str, position: int, part: str) -> None:
        """A line of an index file: lemma, part, counts, symbols, offsets of synsets."""
        fields = line.split()
        count, symbols = int(fields[2]), int(fields[3])
        offsets = fields[6 + symbols :]
        if fields[1] != part or count < 1 or len(offsets) != count:
            raise ValueError(f"{len(offsets)} synsets of {fields[1]!r}, not {count} of {part!r}")
        row = self.rows.setdefault(fields[0], len(self.rows)) << 32
        for offset in offsets:
            self.senses.add(row + self.number(part, offset))

    def add_synset(self, line: str, position: int, part: str) -> None:
        """A line of a data file: offset, file, part, words, pointers, frames of verbs, gloss."""
        fields = line.partition("|")[0].split()
        if _PART_OF.get(fields[2]) != part:
            raise ValueError(f"synset of part {fields[2]!r} among those of {part!r}")
        synset = self.synsets[part][position]
        end = 4 + 2 * int(fields[3], 16)
        count = int(fields[end])
        self.add_words(fields[4:end:2], synset)
        self.add_pointers(fields[end + 1 : end + 1 + 4 * count], count, synset)
        frames = fields[end + 1 + 4 * count :]
        if frames and len(frames) != 1 + 3 * int(frames[0]):
            raise ValueError(f"{len(frames)} fields after {count} pointers")

    def add_words(self, words: Sequence[str], synset: int) -> None:
        """The words of a synset, each of which must be a lemma that leads here."""
        for word in words:
            # "galore(ip)": where an adjective may stand is no part of it
            row = self.rows.get(word.partition("(")[0].lower(), -1)
            if (row << 32) + synset not in self.senses:
                raise ValueError(f"the index does not list {word!r} with this synset")
            self.words.append(row)
        self.ends.append(len(self.words))

    def add_pointers(self, fields: Sequence[str], count: int, synset: int) -> None:
        """The pointers of a synset, four fields each: symbol, offset, part, numbers of words."""
        if len(fields) != 4 * count:
            raise ValueError(f"{len(fields)} fields of {count} pointers, not {4 * count}")
        for i in range(0, len(fields), 4):
            if fields[i] in _HYPERNYMS:
                self.hypernyms.add((synset << 32) + self.number(fields[i + 2], fields[i + 1]))
            elif fields[i] == _ANTONYM:
                other = self.number(fields[i + 2], fields[i + 1])
                word, other_word = int(fields[i + 3][:2], 16), int(fields[i + 3][2:], 16)
                self.antonyms.append(_Antonym(self.place, synset, word, other, other_word))

    def number(self, part: str, offset: str) -> int:
        """The number of the synset of that part of speech at that byte."""
        found = self.synsets.get(_PART_OF.get(part, ""), {}).get(int(offset))
        if found is None:
            raise ValueError(f"no synset of part {part!r} begins at byte {offset}")
        return found

    def relations(self) -> Relations:
        """All that was taken in."""
        if not self.synset_count:
            raise DataError(f"{self.origin}: no synset in any file; install WordNet again")
        hypernyms = _grouped(self.hypernyms, self.synset_count)
        return Relations(
            tuple(self.rows),
            _grouped(self.senses, len(self.rows) + 1),
            _grouped(self.opposites(), len(self.rows) + 1),
            hypernyms,
            heights_of(hypernyms),
        )

    def opposites(self) -> set[int]:
        """Pairs of lemmas that are antonyms, both ways round."""
        pairs = set()
        for antonym in self.antonyms:
            a = self.row(antonym.place, antonym.synset, antonym.word)
            b = self.row(antonym.place, antonym.other_synset, antonym.other_word)
            pairs |= {(a << 32) + b, (b << 32) + a}
        return pairs

    def row(self, place: tuple[str, int], synset: int, word: int) -> int:
        """The row of a synset's word, counted from 1."""
        begin, end = self.ends[synset : synset + 2]
        if not 0 < word <= end - begin:
            raise _damaged(*place, f"an antonym with word {word} of a synset of {end - begin}")
        return self.words[begin + word - 1]


def _lines(raw: bytes, path: str) -> Iterator[tuple[int, int, str]]:
    """Number, first byte and text of each line after the licence, which is indented."""
    lines = decode(raw, path).split("\n")
    if lines.pop():
        raise _damaged(path, len(lines) + 1, "the file ends within a line")
    position = 0
    for number, line in enumerate(lines, 1):
        if not line.startswith("  "):
            yield number, position, line
        position += len(line) + 1


def _damaged(path: str, line: int, found: str) -> DataError:
    return DataError(f"{path}:{line}: {found}; expected WordNet as in wndb(5WN): install it again")


def _grouped(pairs: Collection[int], groups: int) -> Ragged:
    """The second numbers of the pairs, ascending, by their first ones."""
    ordered = np.sort(np.fromiter(pairs, np.int64, len(pairs)))
    offsets = np.searchsorted(ordered, np.arange(groups + 1, dtype=np.int64) << 32)
    return Ragged((ordered & 0xFFFFFFFF).astype(np.int32), offsets)
