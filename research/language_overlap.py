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
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import click
import numpy as np

from research.study import run_study, study
from research.tables import read_record, write_record
from semaniacs.embeddings.bitext.bitext_configuration import BitextTraining, Shape
from semaniacs.embeddings.bitext.bitext_training import train_on_bitext
from semaniacs.embeddings.bitext.corpus import ENGLISH, Bitext, read_bitext
from semaniacs.embeddings.bitext.multilingual import Multilingual
from semaniacs.embeddings.bitext.vocabularies import starting_point
from semaniacs.embeddings.encoder import Encoder, SentenceEncoder
from semaniacs.embeddings.tokenizers.sentencepiece import SentencePieceTokenizer
from semaniacs.embeddings.training.corpora import SentencePair
from semaniacs.runs.contribution.ledger import Ledger, Value, each_once
from semaniacs.runs.tables.format import markdown_table
from semaniacs.sts.command_line import COUNT, data_option, option, output_option
from semaniacs.sts.data.catalog import all_data_sets, get_task
from semaniacs.sts.data.fetch import load, load_gold
from semaniacs.sts.scoring.correlation import spearman
from semaniacs.sts.scoring.task_score import score_task
from semaniacs.sts.tensors import digest
from semaniacs.sts.text.tokenizer import fold

TASKS = ("sts2012", "sts2013", "sts2014", "sts2015")
TRAINING = BitextTraining(epochs=10, dropout=0.3)
WAYS = ("shared", "apart")
OVERLAPS = ("types", "tokens")

OTHERS = "\ue000"
"""Prefix of the other language's entries; a character for private use."""

Figures = dict[str, Any]
Cell = tuple[str, int]
"""A language, and the seed of pairs, rows and order."""


@dataclass(frozen=True)
class Design:
    """Languages that are compared, with equally many pairs each.

    Attributes:
        name, what: as typed after ``--study``, and the title of its table.
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


@dataclass(frozen=True)
class Material:
    """Data of a design: all pairs of each language, and how many of them are drawn.

    ``data`` is a folder with ``sts/``, whose English data score the vectors.
    """

    design: Design
    pairs: dict[str, list[SentencePair]]
    count: int
    data: Path

    def bitext(self, cell: Cell) -> Bitext:
        """Return the pairs of a cell."""
        language, seed = cell
        every = self.pairs[language]
        chosen = np.random.default_rng(seed).permutation(len(every))[: self.count]
        return Bitext((ENGLISH, language), [every[i] for i in chosen.tolist()])

    def key(self, cell: Cell) -> str:
        """Return the sha256 of everything that a cell depends on, except the code."""
        settings = (cell, asdict(self.design), asdict(TRAINING))
        return digest((settings, self.bitext(cell).pairs))


def read_material(design: Design, data: Path, limit: int | None = None) -> Material:
    """Read the pairs of ``data/bitext`` without any sentence of an STS file."""
    held_out = {
        fold(sentence)
        for dataset in all_data_sets()
        for sentence in load(dataset, data / "sts", with_gold=False).sentences()
    }
    pairs = {
        code: list(read_bitext(data / "bitext", code, held_out, design.sources).pairs)
        for code in design.languages
    }
    if design.parallel:
        of = {code: dict(reversed(every)) for code, every in pairs.items()}
        common = sorted(set.intersection(*(set(known) for known in of.values())))
        pairs = {code: [(s, of[code][s]) for s in common] for code in of}
    fewest = min(map(len, pairs.values()))
    return Material(design, pairs, min(fewest, limit or fewest), data)


def english_score(encoder: SentenceEncoder, data: Path) -> float:
    """Return the mean over the years of the weighted mean of Pearson's r, by cosine."""
    scores = []
    for task in map(get_task, TASKS):
        predicted, gold = {}, {}
        for dataset in task.datasets:
            pairs = load(dataset, data / "sts", with_gold=False)
            predicted[pairs.name] = encoder.similarity_pairwise(pairs.left, pairs.right)
            gold[pairs.name] = load_gold(dataset, data / "sts", len(pairs))
        scores.append(score_task(predicted, gold).weighted_mean)
    return float(np.mean(scores))


def measure_cell(material: Material, cell: Cell) -> Value:
    """Measure the overlap, and the score of English trained with and without sharing."""
    language, seed = cell
    bitext = material.bitext(cell)
    shape = Shape(size=material.design.size, separate=True, seed=seed)
    shared = starting_point([bitext], shape)
    scores = {}
    for way, start in zip(WAYS, (shared, without_sharing(shared, shape)), strict=True):
        training = replace(TRAINING, seed=seed)
        trained = train_on_bitext(start, [bitext], training, label=f"{language}, {way}")
        scores[way] = english_score(trained.of(ENGLISH), material.data)
    english, other = (pieces_of(shared, code) for code in bitext.languages)
    rows = shared.of(language).ids(bitext.side(1)).flat.tolist()
    running = (other.known[row] for row in rows if row < len(other.known))
    types = type_overlap(english.pieces, other.pieces)
    return {"types": types, "tokens": token_overlap(running, english.pieces), **scores}


def type_overlap(one: Collection[str], other: Collection[str]) -> float:
    """Return |A ∩ B| / |A ∪ B| of two vocabularies, from 0 to 1 (Jaccard)."""
    return len(set(one) & set(other)) / len(set(one) | set(other))


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


def study_design(material: Material, seeds: int, ledger: Ledger) -> Figures:
    """Return the figures of a design: for each language a list with one per seed."""
    design = material.design
    cells = [(code, seed) for seed in range(seeds) for code in design.languages]
    measure = partial(measure_cell, material)
    found = each_once(measure, cells, ledger, material.key, jobs=1, label=design.name, unit="cells")
    languages = {
        code: {
            figure: [round(found[code, seed][figure], 5) for seed in range(seeds)]
            for figure in (*OVERLAPS, *WAYS)
        }
        for code in design.languages
    }
    about = {"name": design.name, "what": design.what, "pieces": design.size}
    return {**about, "pairs": material.count, "languages": languages}


def design_table(figures: Mapping[str, Any]) -> str:
    """Return a design in Markdown, the largest overlap first, and its correlations."""
    languages = figures["languages"]
    means = {
        kind: {code: float(np.mean(own[kind])) for code, own in languages.items()}
        for kind in (*OVERLAPS, *WAYS)
    }
    rows = []
    for code in sorted(languages, key=lambda code: -means["types"][code]):
        overlaps = (f"{means[kind][code]:.3f}" for kind in OVERLAPS)
        scores = (cell for way in WAYS for cell in _score(languages[code][way]))
        rows.append((code, *overlaps, *scores))
    correlations = []
    for kind in OVERLAPS:
        for way in WAYS:
            two = [np.array([*means[name].values()]) for name in (kind, way)]
            rho, p = 100 * spearman(*two), exact_p(*two)
            correlations.append(f"{kind}, {way} {rho:.0f} (p = {p:.2f})")
    header = ("with English", "types", "tokens", "shared", "±", "apart", "±")
    title = (
        f"**{figures['what']}**: {figures['pairs']:,} pairs of each language, up to "
        f"{figures['pieces']:,} pieces a side; mean of STS 2012–2015, and its standard deviation "
        "over the seeds"
    )
    said = f"Spearman's ρ × 100 between overlap and score: {'; '.join(correlations)}."
    return f"{title}\n\n{markdown_table(header, rows)}\n\n{said}"


def exact_p(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    """Return the two-sided p of Spearman's rho: the share of all orders of ``b`` as extreme."""
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


@study(__doc__, "--data ALL --study ntrex", "--data ALL --limit 300 --seeds 1 --output TRIAL")
@data_option(help="Folder with sts/ and bitext/ (default: show the recorded figures).")
@option("--study", "name", type=click.Choice([*DESIGNS]), help="Design (default: all, hours).")
@option("--seeds", type=COUNT, default=3, show_default=True, help="Trainings of each encoder.")
@option("--limit", type=click.IntRange(2), help="Pairs of a trial, which records nothing.")
@output_option(default=Path("output/overlap"), show_default=True, help="Folder of finished cells.")
def language_overlap(
    data: Path | None, name: str | None, seeds: int, limit: int | None, output: Path
) -> None:
    """Measure and record, or show the record."""
    found: dict[str, Figures] = {}
    for design in ([name] if name else DESIGNS) if data else ():
        assert data is not None
        material = read_material(DESIGNS[design], data, limit)
        found[design] = study_design(material, seeds, Ledger(output / "cells.jsonl"))
        if limit is None:
            write_record("overlap", read_record("overlap") | found)
    click.echo(overlap_tables(found or read_record("overlap")))


if __name__ == "__main__":
    run_study(language_overlap)
