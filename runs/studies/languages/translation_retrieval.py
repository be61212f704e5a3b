"""How often the nearest sentence is the translation (docs/bitext.md).

    python -m runs.studies translation-retrieval --data ALL \\
        --model bitext-teacher bitext-sp bitext-teacher+bitext-sp

ALL holds bitext/ with the NTREX files, of which nothing was learned. Each English sentence looks for
the nearest of all sentences of the other language, and the other way round, as the task NTREX of
MTEB does (Muennighoff et al., 2023; Federmann et al., 2022): by cosine, without a threshold. Accuracy
is the share that find their translation; F1 is the mean over the sentences that are looked for,
each a class of its own, as MTEB reports it. Beside the cosine stands the margin of Artetxe and
Schwenk (2019), which MTEB does not use.

The figures are recorded in runs/results/studies/retrieval.json.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.encoder import unit
from embeddings.mining.candidates import Margin, mine
from embeddings.mining.corpus_vectors import mining_encoder
from embeddings.mining.neighbours import Places
from embeddings.table import Vectors
from embeddings.training.pairs.corpora import read_corpus
from runs.options import new_parser
from runs.tables.format import markdown_table
from runs.tables.pages import BITEXT, STUDIES, check_checkout, read_json, show, write_json
from sts.errors import UnknownNameError
from sts.progress import note

RECORDED = STUDIES / "retrieval.json"
LANGUAGES = ("es", "de", "fr", "ru")
HEADER = ("", "vectors", "en → xx", "F1", "xx → en", "F1", "with margin", "with margin")

Figures = dict[str, Any]


def measure(data: Path, models: Sequence[str]) -> list[Figures]:
    """The figures of each model on each language that it knows; ``data`` holds bitext/."""
    rows = []
    for language in LANGUAGES:
        pairs = read_corpus(data / "bitext" / f"ntrex.en-{language}.tsv.gz")
        for model in models:
            try:
                encoders = mining_encoder(model, "en"), mining_encoder(model, language)
            except UnknownNameError as error:
                note(f"{model}: {error}")
                continue
            sides = zip(encoders, zip(*pairs, strict=True), strict=True)
            english, other = (unit(encoder.encode(side)) for encoder, side in sides)
            rows.append({"language": language, "name": model} | retrieve(english, other))
    return rows


def retrieve(english: Vectors, other: Vectors) -> Figures:
    """Accuracy and F1 in both directions, of unit vectors (n, dim) whose rows belong together."""
    figures: Figures = {"sentences": len(english)}
    for direction, source, target in (("from", english, other), ("to", other, english)):
        found = nearest_rows(source, target, "absolute")
        figures[f"{direction}_english"] = round(accuracy(found), 4)
        figures[f"{direction}_english_f1"] = round(f1(found), 4)
        figures[f"{direction}_english_margin"] = round(
            accuracy(nearest_rows(source, target, "ratio")), 4
        )
    return figures


def nearest_rows(source: Vectors, target: Vectors, margin: Margin) -> Places:
    """For each source (n,) the row of the target that is nearest, by cosine or by margin."""
    found = mine(source, target, margin=margin, candidates="forward")
    rows = np.full(len(source), -1, np.int64)
    rows[found.source] = found.target
    return rows


def accuracy(found: Places) -> float:
    """The share of rows that found the row of their own number."""
    return float(np.mean(found == np.arange(len(found))))


def f1(found: Places) -> float:
    """The mean over n classes of the harmonic mean of precision and recall; row i is of class i."""
    often = np.bincount(found[found >= 0], minlength=len(found))
    right = found == np.arange(len(found))
    return float(np.mean(np.where(right, 2 / (1 + np.maximum(often, 1)), 0.0)))


def retrieval_table(figures: Sequence[Figures]) -> str:
    """The figures in Markdown."""
    kinds = (
        "from_english", "from_english_f1", "to_english", "to_english_f1",
        "from_english_margin", "to_english_margin",
    )  # fmt: skip
    rows = [
        (f"en-{row['language']}", row["name"], *(f"{row[kind]:.3f}" for kind in kinds))
        for row in figures
    ]
    return markdown_table(HEADER, rows)


def main() -> None:
    """Measure, record and show."""
    parser = new_parser("runs.studies translation-retrieval", __doc__, data=False)
    parser.add_argument("--data", type=Path, help="folder with bitext/ (default: show the record)")
    parser.add_argument("--model", nargs="+", default=["bitext-teacher"], help="bundled or a file")
    options = parser.parse_args()
    if options.data:
        check_checkout()
        write_json(RECORDED, measure(options.data, options.model))
        show(BITEXT, "retrieval", retrieval_table(read_json(RECORDED)))
    print(retrieval_table(read_json(RECORDED)))
