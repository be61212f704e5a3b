"""Make the table of WordNet's relations from its database, read by NLTK.

    apt-get install wordnet-base
    python -m features.wordnet.make_relations --files /usr/share/wordnet

The same files give the same bytes.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import click
import numpy as np

from embeddings.tokenizers.ragged import Ragged
from features.wordnet.lookup import PATH, heights_of, write_relations
from sts.command_line import examples, output_option, run_tool
from sts.errors import DataError
from sts.files import read_text
from sts.text.lexicon.word_table import byte_order

PARTS = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
"""Parts of speech, and how the files of each end."""

_PART_OF = {**{letter: letter for letter in PARTS}, "s": "a"}  # s: an adjective's satellite
_HYPERNYMS = ("@", "@i")
_ANTONYM = "!"
_TOPICS = 45
"""Topics that synsets belong to, by number (lexnames(5WN))."""


def build(files: Path, path: Path) -> None:
    """Read WordNet 3.0 and write its relations.

    Args:
        files: a folder with ``data.noun``, ``index.noun`` and so on.
        path: the file to write.

    Raises:
        DataError: a file is missing, or NLTK cannot read them.
    """
    names = [f"{kind}.{part}" for kind in ("data", "index") for part in PARTS.values()]
    texts = {name: read_text(files / name) for name in names}
    try:
        _write(_open_reader(texts), path)
    except Exception as error:  # NLTK raises many kinds at a damaged line
        raise DataError(
            f"{files}: NLTK cannot read it ({error!r}); expected WordNet 3.0: install it again"
        ) from None


def _open_reader(texts: dict[str, str]) -> Any:
    """Return NLTK's reader over texts in memory: it refuses folders outside its own."""
    from nltk.corpus.reader.wordnet import WordNetCorpusReader
    from nltk.data import PathPointer

    class Memory(PathPointer):  # type: ignore[misc]
        """Takes the place of a folder and is never asked."""

        join = open = file_size = None

    class Reader(WordNetCorpusReader):  # type: ignore[misc]
        """Opens the texts, and replaces what is not used here or what Debian leaves out."""

        def open(self, file: str) -> StringIO:
            """Return a text; numbered names for ``lexnames``; no irregular forms."""
            topics = "\n".join(f"{number:02} topic 0" for number in range(_TOPICS))
            return StringIO(topics if file == "lexnames" else texts.get(file, ""))

        def map_wn(self, version: str = "wordnet") -> None:
            """Map nothing to other versions of WordNet."""

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The multilingual functions")
        return Reader(Memory(), None)


def _write(reader: Any, path: Path) -> None:
    synsets = {
        (part, synset.offset()): synset for part in PARTS for synset in reader.all_eng_synsets(part)
    }
    numbers = {key: number for number, key in enumerate(synsets)}
    lemmas = sorted(set(_lemmas(reader)), key=byte_order)
    rows = {lemma: row for row, lemma in enumerate(lemmas)}
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
    relations = {
        "synsets": _grouped(senses, len(rows) + 1),
        "antonyms": _grouped(antonyms, len(rows) + 1),
        "hypernyms": above,
    }
    write_relations(path, lemmas, relations, heights_of(above))


def _pair(a: int, b: int) -> int:
    """Return two numbers as one, which costs less to hold and to sort."""
    return (a << 32) + b


def _lemmas(reader: Any) -> Iterator[str]:
    for part in PARTS:
        yield from reader.all_lemma_names(part)


def _grouped(pairs: Collection[int], groups: int) -> Ragged:
    """Return the second numbers of pairs (a << 32) + b, ascending, by their first ones."""
    ordered = np.sort(np.fromiter(pairs, np.int64, len(pairs)))
    offsets = np.searchsorted(ordered, np.arange(groups + 1, dtype=np.int64) << 32)
    return Ragged((ordered & 0xFFFFFFFF).astype(np.int32), offsets)


@click.command(
    epilog=examples("python -m features.wordnet.make_relations --files /usr/share/wordnet")
)
@click.option("--files", type=Path, required=True, help="Folder with data.noun.")
@output_option(default=PATH, help="Output file (default: the file of the package).")
def main(files: Path, output: Path) -> None:
    """Write the table of WordNet's relations that ships."""
    build(files, output)


if __name__ == "__main__":
    run_tool(main)
