"""WordNet's database, read by NLTK into arrays of numbers."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from io import StringIO
from typing import Any, NamedTuple

import numpy as np

from embeddings.tokenizers.ragged import Ragged
from features.undisturbed import undisturbed
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
_TOPICS = 45
"""Topics that synsets belong to, by number (lexnames(5WN))."""


class Relations(NamedTuple):
    """WordNet's relations in numbers.

    A lemma's row is its place in ``lemmas``. A synset's number is its place in the files: nouns
    first, then verbs, adjectives and adverbs. ``synsets`` and ``antonyms`` end in an empty row:
    row -1 is any lemma that WordNet does not list.

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
        DataError: NLTK cannot read them.
    """
    texts = {name: _without_glosses(decode(raw, f"{origin}/{name}")) for name, raw in files.items()}
    try:
        with undisturbed():
            relations = _relations(_open_reader(texts))
    except DataError:
        raise
    except Exception as error:  # NLTK raises many kinds at a damaged line
        raise DataError(
            f"{origin}: NLTK cannot read it ({error!r}); expected WordNet 3.0: install it again"
        ) from None
    if not len(relations.heights):
        raise DataError(f"{origin}: no synset in any file; install WordNet again")
    return relations


def _without_glosses(text: str) -> str:
    """The text with blanks for the definitions, which take NLTK half of its time to read."""
    return re.sub(r"\|.*", lambda gloss: "|".ljust(len(gloss[0])), text)


def _open_reader(texts: Mapping[str, str]) -> Any:
    """NLTK's reader over texts in memory. Importing NLTK takes a second, so it is done here."""
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.data import PathPointer

    class Memory(PathPointer):  # type: ignore[misc]
        """Stands in for a folder, and is never asked: NLTK refuses folders outside its own."""

        join = open = file_size = None

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        """Opens the texts, and stands in for what is not used here or what Debian leaves out."""

        def open(self, file: str) -> StringIO:
            """A text; numbered names for ``lexnames``; empty lists of irregular forms."""
            topics = "\n".join(f"{number:02} topic 0" for number in range(_TOPICS))
            return StringIO(topics if file == "lexnames" else texts.get(file, ""))

        def map_wn(self, version: str = "wordnet") -> None:
            """No mapping to other versions of WordNet."""

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The multilingual functions")
        return Reader(Memory(), None)


def _relations(reader: Any) -> Relations:
    """The arrays, from the synsets as NLTK gives them."""
    synsets = {
        (part, synset.offset()): synset for part in PARTS for synset in reader.all_eng_synsets(part)
    }
    numbers = {key: number for number, key in enumerate(synsets)}
    rows = {lemma: row for row, lemma in enumerate(dict.fromkeys(_lemmas(reader)))}
    senses: set[int] = set()
    hypernyms: set[int] = set()
    antonyms: set[int] = set()
    for key, synset in synsets.items():
        number = numbers[key]
        senses.update(_pair(rows[name.lower()], number) for name in synset.lemma_names())
        for symbol in _HYPERNYMS:
            for part, offset in synset._pointers[symbol]:
                hypernyms.add(_pair(number, numbers[_PART_OF[part], offset]))
        for (name, symbol), targets in synset._lemma_pointers.items():
            for part, offset, place in targets if symbol == _ANTONYM else ():
                opposite = synsets[_PART_OF[part], offset].lemma_names()[place]
                a, b = rows[name.lower()], rows[opposite.lower()]
                antonyms |= {_pair(a, b), _pair(b, a)}
    above = _grouped(hypernyms, len(numbers))
    return Relations(
        tuple(rows),
        _grouped(senses, len(rows) + 1),
        _grouped(antonyms, len(rows) + 1),
        above,
        heights_of(above),
    )


def _pair(a: int, b: int) -> int:
    """Two numbers as one, which costs less to hold and to sort."""
    return (a << 32) + b


def _lemmas(reader: Any) -> Iterator[str]:
    """The lemmas of each part of speech in the order of its index file, which is sorted."""
    for part in PARTS:
        yield from sorted(reader.all_lemma_names(part))


def _grouped(pairs: Collection[int], groups: int) -> Ragged:
    """The second numbers of pairs (a << 32) + b, ascending, by their first ones."""
    ordered = np.sort(np.fromiter(pairs, np.int64, len(pairs)))
    offsets = np.searchsorted(ordered, np.arange(groups + 1, dtype=np.int64) << 32)
    return Ragged((ordered & 0xFFFFFFFF).astype(np.int32), offsets)
