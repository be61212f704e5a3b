"""Measure whether it matters which language is beside English (Wieting et al., 2019, 5.2, Table 5).

The encoder SP is trained for 10 epochs on as many pairs of every language, both sides cut by
SentencePiece models of their own; then the English vectors are scored on STS 2012 to 2015. The
overlap is given twice: types, the share of all pieces that both models have, |A ∩ B| / |A ∪ B|;
and tokens, the share of the other language's running pieces that the English model has too.
"apart" is the control of the paper: the two languages share no row of the table.

Finished cells are stored in OUTPUT/cells.jsonl; remove the file after a change of the code.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial, reduce
from itertools import permutations
from math import factorial
from pathlib import Path
from typing import Any

import click
import numpy as np

from embeddings.bitext.bitext_configuration import BitextTraining, Shape
from embeddings.bitext.corpus import ENGLISH, Bitext, clean
from embeddings.bitext.multilingual import Multilingual
from embeddings.encoder import Encoder, SentenceEncoder
from embeddings.tokenizers.sentencepiece import SentencePieceTokenizer
from embeddings.training.pairs.corpora import SentencePair, read_corpus
from research.tables import read_record, write_record
from runs.contribution.ledger import Ledger, Value, each_once
from runs.tables.format import markdown_table
from sts.cache import digest
from sts.command_line import (
    COUNT,
    data_option,
    examples,
    jobs_option,
    option,
    output_option,
    run_command,
    run_tool,
)
from sts.data.catalog import all_data_sets, get_task
from sts.data.fetch import load, load_gold
from sts.data.pairs import Pairs, Scores
from sts.errors import DataError
from sts.files import check_writable
from sts.scoring.correlation import spearman
from sts.scoring.task_score import score_task
from sts.text.tokenizer import fold

HEADER = ("with English", "types", "tokens", "shared", "±", "apart", "±")

Figures = dict[str, Any]


YEARS = (2012, 2013, 2014, 2015)
"""2016 is only for reports."""

OTHERS = "\ue000"
"""Prefix of the other language's entries; a character for private use."""


@dataclass(frozen=True)
class Design:
    """Languages that are compared, with equally many pairs each.

    Attributes:
        name: as typed after ``--study``; what: title of its table.
        languages: two-letter codes; English is beside each of them.
        sources: corpora; a language may lack some.
        parallel: keep only English sentences that all languages translate.
        size: number of pieces of each side.
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
    """One language of a design, and the seed of pairs, rows and order."""

    language: str
    seed: int


@dataclass(frozen=True)
class EnglishTest:
    """English STS: for each year the pairs of each data set, and their gold by its name."""

    years: Sequence[tuple[Sequence[Pairs], dict[str, Scores]]]

    def score(self, encoder: SentenceEncoder) -> float:
        """Return the mean over the years of the weighted mean of Pearson's r, by cosine."""
        scores = [
            score_task(
                {p.name: encoder.similarity_pairwise(p.left, p.right) for p in every}, gold
            ).weighted_mean
            for every, gold in self.years
        ]
        return float(np.mean(scores))


@dataclass(frozen=True)
class Material:
    """Data of a design.

    Attributes:
        design: its name and settings.
        pairs: all pairs of each language.
        count: number of pairs that are drawn.
        english: data that the English vectors are scored on.
    """

    design: Design
    pairs: dict[str, list[SentencePair]]
    count: int
    english: EnglishTest

    def bitext(self, cell: Cell) -> Bitext:
        """Return the pairs of a cell."""
        every = self.pairs[cell.language]
        chosen = np.random.default_rng(cell.seed).permutation(len(every))[: self.count]
        return Bitext((ENGLISH, cell.language), [every[i] for i in chosen.tolist()])

    def key(self, cell: Cell) -> str:
        """Return the sha256 of everything that a cell depends on, except the code."""
        settings = (asdict(cell), asdict(self.design), asdict(TRAINING))
        return digest((settings, self.bitext(cell).pairs))


def read_material(design: Design, data: Path, limit: int | None = None) -> Material:
    """Read pairs without any sentence of an STS file, and the English test data.

    Args:
        design: its corpora are read from ``data/bitext``.
        data: with ``sts/`` and ``bitext/``.
        limit: most pairs to draw.

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
    """Return every distinct pair of a language in the corpora of a design."""
    files = [folder / f"{source}.{ENGLISH}-{language}.tsv.gz" for source in design.sources]
    here = [file for file in files if file.is_file()]
    if not here:
        raise DataError(f"{files[0]}: no such file; {design.name} needs bitext of {language}")
    return clean((pair for file in here for pair in read_corpus(file)), held_out)


def same_english(pairs: dict[str, list[SentencePair]]) -> dict[str, list[SentencePair]]:
    """Return a pair per English sentence that all languages translate, in one order for all."""
    of = {code: dict(reversed(every)) for code, every in pairs.items()}
    common = reduce(set.intersection, (set(known) for known in of.values()))
    return {code: [(s, of[code][s]) for s in sorted(common)] for code in of}


def read_english_test(folder: Path) -> EnglishTest:
    """Read the STS files of :data:`YEARS`."""
    years = []
    for year in YEARS:
        datasets = get_task(f"sts{year}").datasets
        every = [load(dataset, folder, with_gold=False) for dataset in datasets]
        gold = {d.name: load_gold(d, folder, len(p)) for d, p in zip(datasets, every, strict=True)}
        years.append((every, gold))
    return EnglishTest(years)


def measure_cell(material: Material, cell: Cell) -> Value:
    """Measure the overlap, and the score of English trained with and without sharing.

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
    """Return |A ∩ B| / |A ∪ B| of two vocabularies, from 0 to 1 (Jaccard)."""
    both = set(one) & set(other)
    return len(both) / len(set(one) | set(other))


def token_overlap(running: Iterable[str], known: Collection[str]) -> float:
    """Return the share of running pieces, from 0 to 1, that a vocabulary has too."""
    listed = set(known)
    hits = [piece in listed for piece in running]
    return sum(hits) / max(1, len(hits))


def without_sharing(start: Multilingual, shape: Shape) -> Multilingual:
    """Return an encoder with the same pieces for each language, and no row in common.

    Each language lists the entries of the other with a prefix that no text contains.
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
    """Return the SentencePiece vocabulary of a language."""
    vocabulary = model.of(language).tokenizer
    assert isinstance(vocabulary, SentencePieceTokenizer)
    return vocabulary


def study_design(material: Material, seeds: int, ledger: Ledger, jobs: int) -> Figures:
    """Return the figures of a design: for each language a list with one per seed."""
    design = material.design
    cells = [Cell(code, seed) for seed in range(seeds) for code in design.languages]
    found = each_once(
        partial(measure_cell, material),
        cells,
        ledger,
        material.key,
        jobs=jobs,
        label=design.name,
        unit="cells",
    )
    return {
        "name": design.name,
        "what": design.what,
        "pairs": material.count,
        "pieces": design.size,
        "languages": {
            code: {
                figure: [round(found[cell][figure], 5) for cell in cells if cell.language == code]
                for figure in ("types", "tokens", "shared", "apart")
            }
            for code in design.languages
        },
    }


def design_table(figures: Mapping[str, Any]) -> str:
    """Return a design in Markdown, the largest overlap first, and its correlations."""
    means = means_of(figures)
    rows = []
    for code in sorted(means["types"], key=lambda code: -means["types"][code]):
        own = figures["languages"][code]
        scores = [cell for way in ("shared", "apart") for cell in _score(own[way])]
        overlaps = (f"{means[kind][code]:.3f}" for kind in ("types", "tokens"))
        rows.append((code, *overlaps, *scores))
    seeds = len(own["shared"])
    title = (
        f"**{figures['what']}**: {figures['pairs']:,} pairs of each language, up to "
        f"{figures['pieces']:,} pieces a side, {seeds} seed{'s' * (seeds != 1)}; mean of STS "
        f"{YEARS[0]}–{YEARS[-1]}, and its standard deviation over the seeds"
    )
    return f"{title}\n\n{markdown_table(HEADER, rows)}\n\n{correlations(means)}"


def correlations(means: Mapping[str, Mapping[str, float]]) -> str:
    """Describe Spearman's ρ × 100 of overlap and score, and how uncertain it is."""
    count = len(means["types"])
    said = []
    for kind in ("types", "tokens"):
        for way in ("shared", "apart"):
            two = [np.array([*means[name].values()]) for name in (kind, way)]
            said.append(f"{kind}, {way} {100 * spearman(*two):.0f} (p = {exact_p(*two):.2f})")
    least = 2 / factorial(count)
    return (
        f"Spearman's ρ × 100 between overlap and score: {'; '.join(said)}. These are {count} "
        f"points: even a perfect order has p = {least:.3f}"
        + (", so that no ρ here is sure at the usual 5 %." if least > 0.05 else ".")
    )


def means_of(figures: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Return the mean over the seeds of each kind of figure, by language."""
    languages = figures["languages"]
    kinds = next(iter(languages.values()))
    return {
        kind: {code: float(np.mean(own[kind])) for code, own in languages.items()} for kind in kinds
    }


def exact_p(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    """Return the two-sided p of Spearman's rho: the share of orders of ``b`` that are as extreme.

    Args:
        a, b: (n,) of a handful of points; all n! orders are tried. NaN if one is constant.
    """
    observed = abs(spearman(a, b))
    every = np.array([abs(spearman(a, np.array(order))) for order in permutations(b.tolist())])
    return float(np.mean(every >= observed - 1e-9)) if np.isfinite(observed) else observed


def _score(values: Sequence[float]) -> tuple[str, str]:
    """Return the mean and the standard deviation; one value has none."""
    spread = f"{np.std(values, ddof=1):.4f}" if len(values) > 1 else ""
    return f"{np.mean(values):.4f}", spread


def overlap_tables(figures: Mapping[str, Figures]) -> str:
    """Return the tables of the recorded designs."""
    return "\n\n".join(design_table(figures[name]) for name in DESIGNS if name in figures)


@click.command(
    help=__doc__,
    epilog=examples(
        "python -m research.language_overlap --data ALL --study ntrex",
        "python -m research.language_overlap --data ALL --limit 300 --seeds 1 --output TRIAL",
    ),
)
@data_option(help="Folder with sts/ and bitext/ (default: show the recorded figures).")
@option("--study", type=click.Choice([*DESIGNS]), help="Design (default: all of them, hours).")
@option("--seeds", type=COUNT, default=3, show_default=True, help="Trainings of each encoder.")
@option("--limit", type=click.IntRange(2), help="Pairs of a trial, which records nothing.")
@output_option(default=Path("output/overlap"), show_default=True, help="Folder of finished cells.")
@jobs_option()
def language_overlap(
    data: Path | None, study: str | None, seeds: int, limit: int | None, output: Path, jobs: int
) -> None:
    """Measure and record, or show the record."""
    if not data:
        click.echo(overlap_tables(read_record("overlap")))
        return
    check_writable(output)
    found = {}
    for name in [study] if study else DESIGNS:
        material = read_material(DESIGNS[name], data, limit)
        found[name] = study_design(material, seeds, Ledger(output / "cells.jsonl"), jobs)
        if limit is None:
            write_record("overlap", read_record("overlap") | found)
    click.echo(overlap_tables(found))


if __name__ == "__main__":
    run_tool(lambda: run_command(language_overlap, "python -m research.language_overlap"))
