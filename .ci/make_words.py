"""Make the tables of English words from the libraries that they come from.

    pip install wordfreq==3.1.1 textblob==0.20.1 lemminflect==0.2.3
    PYTHONPATH=. python .ci/make_words.py

The same versions give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from semaniacs.sts.files import read_lines
from semaniacs.sts.tensors import byte_order, word_tensors, write_words
from semaniacs.sts.text.analysis import FOLDER


def write_frequencies(path: Path) -> None:
    """Write wordfreq's largest English list: how rare a word is, in hundredths of a power of ten."""
    from wordfreq import get_frequency_list

    rarity = {
        word: centibels
        for centibels, words in enumerate(get_frequency_list("en"))
        for word in words
    }
    words = sorted(rarity, key=byte_order)
    write_words(path, words, {"centibels": np.array([rarity[w] for w in words], np.int16)})


def write_tags(path: Path) -> None:
    """Write the most frequent tag of each token in the lexicon that comes with TextBlob."""
    package = find_spec("textblob")
    assert package is not None
    assert package.origin is not None
    lexicon = Path(package.origin).parent / "en" / "en-lexicon.txt"
    tags = dict(_entries(lexicon))
    words, names = sorted(tags, key=byte_order), sorted(set(tags.values()))
    numbers = {name: number for number, name in enumerate(names)}
    columns = {
        "tag": np.array([numbers[tags[word]] for word in words], np.uint8),
        "names": np.frombuffer(" ".join(names).encode(), np.uint8),
    }
    write_words(path, words, columns)


def _entries(lexicon: Path) -> Iterator[tuple[str, str]]:
    for line in map(str.strip, read_lines(lexicon)):
        if line and not line.startswith(";;;"):
            token, tag, *_ = line.split(" ")
            yield token, tag


def write_lemmas(path: Path) -> None:
    """Write LemmInflect's lemmas of each word by part of speech, and which are participles."""
    from lemminflect import config, getAllInflections
    from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec
    from lemminflect.codecs.OverridesCodec import OverridesCodec

    found = LemmaLUCodec.load(config.lemma_lu_fn)
    for word, own in OverridesCodec.load(config.lemma_overrides_fn).items():
        found[word] = {**found.get(word, {}), **own}
    words = sorted(found, key=byte_order)
    texts = [
        ";".join(f"{part}:{'/'.join(forms).lower()}" for part, forms in found[word].items())
        for word in words
    ]
    participle = [
        not word.endswith("ed") and word in getAllInflections(_verb(found[word])).get("VBN", ())
        for word in words
    ]
    readings = word_tensors(texts)
    columns = {
        "readings": readings["letters"],
        "reading_ends": readings["ends"],
        "participle": np.array(participle, np.bool_),
    }
    write_words(path, words, columns)


def _verb(readings: dict[str, tuple[str, ...]]) -> str:
    """Return the lemma of a word that is read as a verb, as :func:`semaniacs.sts.text.analysis.lemma`."""
    forms = readings.get("VERB") or readings.get("AUX") or next(iter(readings.values()))
    return forms[0].lower()


if __name__ == "__main__":
    write_frequencies(FOLDER / "frequencies.safetensors")
    write_tags(FOLDER / "tags.safetensors")
    write_lemmas(FOLDER / "lemmas.safetensors")
