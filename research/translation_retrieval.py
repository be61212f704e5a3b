"""Measure how often the nearest sentence is the translation.

Each English sentence of NTREX searches for the nearest of all sentences of the other language, and
the other way round, as the task NTREX of MTEB does (Muennighoff et al., 2023; Federmann et al.,
2022): by cosine, without a threshold. Accuracy is the share that find their translation. F1 is the
mean over the sentences that are searched for, each one a class, as MTEB reports it. The margin of
Artetxe and Schwenk (2019), which MTEB does not use, is beside the cosine. No encoder learned from
NTREX.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from research.study import run_study, study
from research.tables import retrieval_table, write_record
from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.mining.candidates import Margin, mine
from semaniacs.embeddings.mining.corpus_vectors import mining_encoder
from semaniacs.embeddings.mining.neighbours import Places
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.training.corpora import read_corpus
from semaniacs.sts.command_line import data_option, model_option
from semaniacs.sts.errors import UnknownNameError
from semaniacs.sts.progress import note

LANGUAGES = ("es", "de", "fr", "ru")
Figures = dict[str, Any]


def measure(data: Path, models: Sequence[str]) -> list[Figures]:
    """Return the figures of each model on each of its languages; ``data`` has bitext/."""
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
    """Return accuracy and F1 in both directions, of unit vectors (n, dim) in the same order."""
    figures: Figures = {"sentences": len(english)}
    for direction, source, target in (("from", english, other), ("to", other, english)):
        found = nearest_rows(source, target, "absolute")
        by_margin = nearest_rows(source, target, "ratio")
        figures[f"{direction}_english"] = round(accuracy(found), 4)
        figures[f"{direction}_english_f1"] = round(f1(found), 4)
        figures[f"{direction}_english_margin"] = round(accuracy(by_margin), 4)
    return figures


def nearest_rows(source: Vectors, target: Vectors, margin: Margin) -> Places:
    """Return for each source (n,) the nearest row of the target, by cosine or by margin."""
    found = mine(source, target, margin=margin, candidates="forward")
    rows = np.full(len(source), -1, np.int64)
    rows[found.source] = found.target
    return rows


def accuracy(found: Places) -> float:
    """Return the share of rows that found the row of the same number."""
    return float(np.mean(found == np.arange(len(found))))


def f1(found: Places) -> float:
    """Return the mean F1 over n classes; row i belongs to class i."""
    often = np.bincount(found[found >= 0], minlength=len(found))
    right = found == np.arange(len(found))
    return float(np.mean(np.where(right, 2 / (1 + np.maximum(often, 1)), 0.0)))


@study(__doc__, "", "--data ALL -m multilingual -m bitext-sp")
@data_option(help="Folder with bitext/ (default: show the recorded figures).")
@model_option(default=("multilingual",), multiple=True, help="Bundled name or file; repeatable.")
def translation_retrieval(data: Path | None, model: tuple[str, ...]) -> None:
    """Measure and record, or show the record."""
    if data:
        write_record("retrieval", measure(data, model))
    click.echo(retrieval_table())


if __name__ == "__main__":
    run_study(translation_retrieval)
