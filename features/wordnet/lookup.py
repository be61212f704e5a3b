"""WordNet 3.0 as arrays, for whole batches of words at once.

Words are looked up as they stand: they come lemmatised, and no other form of
them is tried. The files come from nltk_data or from Debian's ``wordnet-base``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from embeddings.tokenizers.ragged import Ids, Ragged
from features.wordnet.ancestors import Ancestors, climb
from features.wordnet.relations_cache import open_relations

INSTALL = "apt-get install wordnet-base  (or: python -m nltk.downloader wordnet)"
_SYSTEM = tuple(Path(p) for p in ("/usr/share", "/usr/local/share", "/usr/lib", "/usr/local/lib"))
_DEBIAN = Path("/usr/share/wordnet")


def find_files() -> Path | None:
    """The folder that holds WordNet's ``data.noun``, or NLTK's zip file with it, or None."""
    for corpora in (folder / "corpora" for folder in _nltk_data()):
        if _is_file(corpora / "wordnet" / "data.noun"):
            return corpora / "wordnet"
        if _is_file(corpora / "wordnet.zip"):
            return corpora / "wordnet.zip"
    return _DEBIAN if _is_file(_DEBIAN / "data.noun") else None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a folder that may not be looked into
        return False


def _nltk_data() -> list[Path]:
    """Where NLTK looks for data on Linux and macOS; to import it and ask takes a second."""
    named = [Path(folder) for folder in os.environ.get("NLTK_DATA", "").split(os.pathsep) if folder]
    own = [Path(sys.prefix, folder) for folder in ("", "share", "lib")]
    parents = [Path(os.path.expanduser("~")), *own, *_SYSTEM]  # noqa: PTH111 (never fails)
    return named + [parent / "nltk_data" for parent in parents]


class WordNet:
    """Senses of words and how they are related (Fellbaum, 1998).

    Args:
        place: what :func:`find_files` found.

    Raises:
        DataError: a file of WordNet is missing or damaged.
    """

    def __init__(self, place: Path) -> None:
        self.relations = open_relations(place)
        self._row = {lemma: row for row, lemma in enumerate(self.relations.lemmas)}

    @property
    def root(self) -> int:
        """The number of the imaginary root: one more than that of the last synset."""
        return len(self.relations.heights)

    def rows(self, words: Sequence[str]) -> Ids:
        """(v,) int32: the row of each word among the lemmas, -1 if it is not listed."""
        row = self._row
        return np.fromiter((row.get(word, -1) for word in words), np.int32, len(words))

    def synsets(self, words: Sequence[str]) -> Ragged:
        """The numbers of each word's synsets, ascending; none if it is not listed.

        Two words are synonyms, in some sense, if theirs meet.
        """
        return self.relations.synsets.take(self.rows(words).astype(np.int64))

    def antonyms(self, words: Sequence[str]) -> Ragged:
        """The rows of each word's opposites, ascending; none if it is not listed."""
        return self.relations.antonyms.take(self.rows(words).astype(np.int64))

    def ancestors(self, rows: Ids) -> Ancestors:
        """All that stands above the lemmas in these rows."""
        senses = self.relations.synsets.take(rows.astype(np.int64))
        return climb(senses, self.relations.hypernyms, self.relations.heights)
