"""English trained beside another language, with shared subwords and without.

Wieting et al. (2019, section 5.2) find that languages that share more subwords with English give
better English vectors. Here each language has a SentencePiece model of its own; pieces that both
models have share a row of the table or, as a control, nothing is shared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from pathlib import Path

import numpy as np

from embeddings.bitext.bitext_configuration import BitextTraining, Shape
from embeddings.bitext.corpus import ENGLISH, Bitext, clean
from embeddings.bitext.multilingual import Multilingual
from embeddings.encoder import Encoder, SentenceEncoder
from embeddings.tokenizers.sentencepiece import SentencePieceTokenizer
from embeddings.training.pairs.corpora import SentencePair, read_corpus
from runs.studies.ledger import Value
from sts.cache import digest
from sts.data.catalog import all_data_sets, get_task
from sts.data.fetch import load, load_gold
from sts.data.pairs import Pairs, Scores
from sts.errors import DataError
from sts.scoring.task_score import score_task
from sts.text.tokenizer import fold

YEARS = (2012, 2013, 2014, 2015)
"""2016 is for reports of what ships."""

OTHERS = "\ue000"
"""What an entry of the other language begins with; a character for private use."""


@dataclass(frozen=True)
class Design:
    """Languages that are compared on as many pairs each.

    Attributes:
        name: as typed after ``--study``; what: the title of its table.
        languages: two-letter codes, English is with each of them.
        sources: corpora; a language may lack some.
        parallel: keep only English sentences that all of the languages translate.
        size: pieces wanted of each side.
    """

    name: str
    what: str
    languages: tuple[str, ...]
    sources: tuple[str, ...]
    parallel: bool = False
    size: int = 20_000


DESIGNS = {
    design.name: design
    for design in (
        Design(
            "ntrex",
            "News of NTREX, the same English sentences in each",
            ("es", "de", "fr", "ru", "cs"),
            ("ntrex",),
            parallel=True,
            size=5_000,
        ),
        Design("tatoeba", "Tatoeba", ("es", "de", "fr", "ru"), ("tatoeba",)),
        Design("both", "Tatoeba and news", ("es", "de", "fr", "ru"), ("tatoeba", "news")),
    )
}
TRAINING = BitextTraining(epochs=10, dropout=0.3)


@dataclass(frozen=True)
class Cell:
    """One language of a design; the seed draws pairs, rows and order."""

    language: str
    seed: int


@dataclass(frozen=True)
class EnglishTest:
    """English STS: by year, the pairs of each data set and their gold by its name."""

    years: Sequence[tuple[Sequence[Pairs], dict[str, Scores]]]

    def score(self, encoder: SentenceEncoder) -> float:
        """The years' mean of the official weighted mean of Pearson's r, by cosine."""
        scores = [
            score_task(
                {p.name: encoder.similarity_pairwise(p.left, p.right) for p in every}, gold
            ).weighted_mean
            for every, gold in self.years
        ]
        return float(np.mean(scores))


@dataclass(frozen=True)
class Material:
    """The data of a design.

    Attributes:
        design: whose data they are.
        pairs: of each language, as many as there are.
        count: how many of them are drawn.
        english: the data that the English vectors are scored on.
    """

    design: Design
    pairs: dict[str, list[SentencePair]]
    count: int
    english: EnglishTest

    def bitext(self, cell: Cell) -> Bitext:
        """The pairs of a cell."""
        every = self.pairs[cell.language]
        chosen = np.random.default_rng(cell.seed).permutation(len(every))[: self.count]
        return Bitext((ENGLISH, cell.language), [every[i] for i in chosen.tolist()])

    def key(self, cell: Cell) -> str:
        """sha256 of everything that a cell depends on, apart from the code."""
        settings = (asdict(cell), asdict(self.design), asdict(TRAINING))
        return digest((settings, self.bitext(cell).pairs))


def read_material(design: Design, data: Path, limit: int | None = None) -> Material:
    """Pairs without any sentence that an STS file holds, and the English test data.

    Args:
        design: whose corpora are read from ``data/bitext``.
        data: with ``sts/`` and ``bitext/``.
        limit: draw no more pairs than this, to try something out.

    Raises:
        DataError: a language has no file, or a file is missing or damaged.
    """
    held_out = {
        fold(sentence)
        for dataset in all_data_sets()
        for sentence in load(dataset, data / "sts", with_gold=False).sentences()
    }
    pairs = {
        code: pairs_with_english(design, code, data / "bitext", held_out)
        for code in design.languages
    }
    if design.parallel:
        pairs = same_english(pairs)
    fewest = min(map(len, pairs.values()))
    return Material(design, pairs, min(fewest, limit or fewest), read_english_test(data / "sts"))


def pairs_with_english(
    design: Design, language: str, folder: Path, held_out: Collection[str]
) -> list[SentencePair]:
    """Every pair of a language in the corpora of a design, each once."""
    files = [folder / f"{source}.{ENGLISH}-{language}.tsv.gz" for source in design.sources]
    here = [file for file in files if file.is_file()]
    if not here:
        raise DataError(f"{files[0]}: no such file; {design.name} needs bitext of {language}")
    return clean((pair for file in here for pair in read_corpus(file)), held_out)


def same_english(pairs: dict[str, list[SentencePair]]) -> dict[str, list[SentencePair]]:
    """A pair for each English sentence that all languages translate, in one order for all."""
    of = {code: dict(reversed(every)) for code, every in pairs.items()}
    common = reduce(set.intersection, (set(known) for known in of.values()))
    return {code: [(s, of[code][s]) for s in sorted(common)] for code in of}


def read_english_test(folder: Path) -> EnglishTest:
    """The STS files of :data:`YEARS`."""
    years = []
    for year in YEARS:
        datasets = get_task(f"sts{year}").datasets
        every = [load(dataset, folder, with_gold=False) for dataset in datasets]
        gold = {d.name: load_gold(d, folder, len(p)) for d, p in zip(datasets, every, strict=True)}
        years.append((every, gold))
    return EnglishTest(years)


def measure_cell(material: Material, cell: Cell) -> Value:
    """Overlap of the two sides, and the score of English trained with and without sharing.

    Raises:
        DataError: too few pairs to learn pieces from.
    """
    from embeddings.bitext.bitext_training import train_on_bitext
    from embeddings.bitext.vocabularies import starting_point

    bitext = material.bitext(cell)
    shape = Shape(size=material.design.size, separate=True, seed=cell.seed)
    training = BitextTraining(**asdict(TRAINING) | {"seed": cell.seed})
    try:
        shared = starting_point([bitext], shape)
    except ValueError as error:
        raise DataError(
            f"{len(bitext)} pairs of {ENGLISH}-{cell.language}: {error}; draw more"
        ) from None
    ways = {"shared": shared, "apart": without_sharing(shared, shape)}
    scores = {}
    for name, start in ways.items():
        label = f"{cell.language}, {name}"
        trained = train_on_bitext(start, [bitext], training, label=label)
        scores[name] = material.english.score(trained.of(ENGLISH))
    english, other = (pieces_of(shared, language) for language in bitext.languages)
    vocabulary = shared.of(cell.language).tokenizer
    running = (
        vocabulary.known[row]
        for row in shared.of(cell.language).ids(bitext.side(1)).flat.tolist()
        if row < len(vocabulary.known)
    )
    return {
        "types": type_overlap(english.pieces, other.pieces),
        "tokens": token_overlap(running, english.pieces),
        **scores,
    }


def type_overlap(one: Collection[str], other: Collection[str]) -> float:
    """|A ∩ B| / |A ∪ B| of two vocabularies, from 0 to 1 (Jaccard)."""
    both = set(one) & set(other)
    return len(both) / len(set(one) | set(other))


def token_overlap(running: Iterable[str], known: Collection[str]) -> float:
    """The share of running pieces, from 0 to 1, that a vocabulary has too.

    With the pieces of the other language and the vocabulary of English: how often a
    sentence of the other language reaches a row that English reads.
    """
    listed = set(known)
    hits = [piece in listed for piece in running]
    return sum(hits) / max(1, len(hits))


def without_sharing(start: Multilingual, shape: Shape) -> Multilingual:
    """The same pieces for either language, with not one row in common.

    Each language lists the entries of the other with a mark before them, in their
    place: a text never holds the mark, so that it never reaches them.
    """
    one, other = (pieces_of(start, language) for language in start.languages)
    lists = (
        [*one.pieces, *(OTHERS + piece for piece in other.pieces)],
        [*(OTHERS + piece for piece in one.pieces), *other.pieces],
    )
    made = [
        SentencePieceTokenizer(vocabulary.model, known, vocabulary.buckets)
        for vocabulary, known in zip((one, other), lists, strict=True)
    ]
    rng = np.random.default_rng(shape.seed)
    rows = rng.normal(0.0, shape.deviation, (len(made[0]), shape.dim)).astype(np.float32)
    encoders = [Encoder(vocabulary, rows) for vocabulary in made]
    return Multilingual(dict(zip(start.languages, encoders, strict=True)), start.name)


def pieces_of(model: Multilingual, language: str) -> SentencePieceTokenizer:
    """The vocabulary of a language, which cuts by SentencePiece."""
    vocabulary = model.of(language).tokenizer
    assert isinstance(vocabulary, SentencePieceTokenizer)
    return vocabulary
