"""WordNet 3.0 through NLTK, with path similarity fast enough for every word pair.

Files come from nltk_data or from Debian's ``wordnet-base``. NLTK also wants a
``lexnames`` file that Debian leaves out; nothing here uses the names in it.
"""

from __future__ import annotations

import io
import warnings
from functools import lru_cache
from pathlib import Path
from typing import Any

INSTALL = "apt-get install wordnet-base  (or: python -m nltk.downloader wordnet)"
_DEBIAN = Path("/usr/share/wordnet")
_ROOT = "*root*"


def find_files() -> Path | None:
    """The folder that holds WordNet's ``data.noun``, or None."""
    import nltk

    for folder in (*(Path(p) / "corpora" / "wordnet" for p in nltk.data.path), _DEBIAN):
        if (folder / "data.noun").is_file():
            return folder
    return None


class WordNet:
    """Path similarity between words.

    Attributes:
        reader: NLTK's corpus reader over the files.
    """

    def __init__(self, folder: Path) -> None:
        self.reader = _open(folder)
        self.ancestors = lru_cache(maxsize=1 << 17)(self._ancestors)
        self.similarity = lru_cache(maxsize=1 << 21)(self._similarity)

    def _similarity(self, a: str, b: str) -> float:
        """1 / (1 + shortest path) between any two senses; 1 for equal words, 0 if unlisted.

        Equal to NLTK's ``path_similarity`` maximised over all pairs of synsets:
        a shortest path runs through a common ancestor, so it is enough to know
        each word's distance to each of its ancestors.
        """
        if a == b:
            return 1.0
        near, far = self.ancestors(a), self.ancestors(b)
        if len(near) > len(far):
            near, far = far, near
        paths = [steps + far[node] for node, steps in near.items() if node in far]
        return 1.0 / (1 + min(paths)) if paths else 0.0

    def _ancestors(self, word: str) -> dict[str, int]:
        """Fewest steps from any sense of ``word`` up to each ancestor, itself included."""
        nearest: dict[str, int] = {}
        for synset in self.reader.synsets(word):
            for node, steps in self._upwards(synset).items():
                if steps < nearest.get(node, steps + 1):
                    nearest[node] = steps
        return nearest

    def _upwards(self, synset: Any) -> dict[str, int]:
        distances: dict[str, int] = {}
        for node, steps in synset.hypernym_distances():
            distances[node.name()] = min(steps, distances.get(node.name(), steps))
        # NLTK joins the trees of all parts of speech under one imaginary root.
        distances[_ROOT] = max(distances.values()) + 1
        return distances


def _open(folder: Path) -> Any:
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    if str(folder) not in nltk.data.path:
        nltk.data.path.append(str(folder))  # NLTK opens files only below the folders listed there

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        """NLTK's reader, content without a ``lexnames`` file and without OMW."""

        def open(self, fileid: str) -> Any:
            if fileid == "lexnames" and not (folder / fileid).exists():
                return io.StringIO("".join(f"{n:02d}\tunnamed\t1\n" for n in range(45)))
            return super().open(fileid)

        def map_wn(self, version: str = "wordnet") -> None:
            """No mapping to other versions: it serves other languages alone."""

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The multilingual functions")
        return Reader(str(folder), omw_reader=None)
