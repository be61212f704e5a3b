"""Measure PAWS-X with an encoder of several languages: within a language, and across two.

Three kinds of pairs of Fedorova and Musatow (3.2), all from the same rows of PAWS-X: intra, both
sentences in one language; inter-para, the left sentence in one language and the right one in
another; inter-same, a sentence and its translation. The paper does not say how it makes negative
pairs of the last kind; here they are, of the rows with label 0, the left sentence beside the
translation of the right one.

The score is the cosine. Thresholds have the highest accuracy on the development sets: one per pair
of languages, and one for all of a kind. A row that was not translated has label 0 within a
language, as published, and is left out across two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from research.study import run_study, study
from semaniacs.embeddings.encoder import cosine
from semaniacs.embeddings.mining.corpus_vectors import mining_encoder
from semaniacs.embeddings.table import Vectors
from semaniacs.runs.tables.format import markdown_table
from semaniacs.sts.command_line import data_option, model_option, option
from semaniacs.sts.data.catalog import PAWS_X_LANGUAGES, get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.errors import StsError
from semaniacs.sts.scoring.classification import Labels, best_threshold, labels_of, roc_auc

KINDS = ("intra", "inter-para", "inter-same")
HEADER = ("kind", "languages", "pairs", "accuracy", "one threshold", "AUC")
FIGURES = ("accuracy", "one_threshold", "auc")

Codes = tuple[str, str]
Row = dict[str, Any]

UNTRANSLATED = "NS"


class Side(NamedTuple):
    """PAWS-X in one language.

    Attributes:
        left, right: (n, dim) vectors of both sentences of n rows.
        labels: (n,) as published for the language.
        translated: (n,) whether both sentences are.
    """

    left: Vectors
    right: Vectors
    labels: Labels
    translated: Labels


class Judged(NamedTuple):
    """Scores (n,) of pairs, and their labels."""

    scores: Scores
    labels: Labels

    def accuracy(self, threshold: float) -> float:
        """Return the share of pairs whose label the threshold gives."""
        return float(np.mean((self.scores >= threshold) == self.labels))


def read_side(model: str, language: str, part: str, data: Path | None) -> Side:
    """Encode the development or the test set of a language."""
    task = get_task(f"paws-x-{language}")
    (dataset,) = task.datasets if part == "test" else task.dev
    pairs = load(dataset, data)
    encoder = mining_encoder(model, language)
    there = [UNTRANSLATED not in sides for sides in zip(pairs.left, pairs.right, strict=True)]
    left, right = encoder.encode(pairs.left), encoder.encode(pairs.right)
    return Side(left, right, labels_of(pairs.gold), np.array(there))


def judged(kind: str, one: Side, other: Side, english: Labels) -> Judged:
    """Return the pairs of a kind between two languages; ``intra`` has one language twice.

    Args:
        kind: one of :data:`KINDS`.
        one, other: the same rows in both languages.
        english: their labels in English, which pairs across languages have.
    """
    if kind == "intra":
        return Judged(_cosines(one.left, one.right), one.labels)
    there = one.translated & other.translated
    across = _cosines(one.left, other.right)
    if kind == "inter-para":
        return Judged(across[there], english[there])
    apart = there & ~english
    same = _cosines(one.left, other.left)[there]
    labels = np.repeat([True, False], [len(same), int(apart.sum())])
    return Judged(np.concatenate([same, across[apart]]), labels)


def _cosines(one: Vectors, other: Vectors) -> Scores:
    scores: Scores = cosine(one.astype(np.float64), other.astype(np.float64))
    return scores


def measure(
    dev: Mapping[str, Side], test: Mapping[str, Side], labels: Mapping[str, Labels]
) -> list[Row]:
    """Return the figures of each kind and of each pair of languages.

    Args:
        dev, test: by language.
        labels: English labels of the rows of ``dev`` and ``test``.
    """
    rows = []
    for kind in KINDS:
        codes = [(c, c) for c in test] if kind == "intra" else [*permutations(test, 2)]
        chosen, found = (
            {c: judged(kind, sides[c[0]], sides[c[1]], labels[part]) for c in codes}
            for part, sides in (("dev", dev), ("test", test))
        )
        rows += figures(kind, chosen, found)
    return rows


def figures(kind: str, dev: Mapping[Codes, Judged], test: Mapping[Codes, Judged]) -> list[Row]:
    """Return the figures of the pairs of a kind, by their languages."""
    pooled = Judged(*map(np.concatenate, zip(*dev.values(), strict=True)))
    for_all = best_threshold(pooled.labels, pooled.scores)
    return [
        {
            "kind": kind,
            "languages": "–".join(dict.fromkeys(codes)),
            "pairs": len(found.labels),
            "accuracy": found.accuracy(best_threshold(dev[codes].labels, dev[codes].scores)),
            "one_threshold": found.accuracy(for_all),
            "auc": roc_auc(found.labels, found.scores),
        }
        for codes, found in test.items()
    ]


def paws_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return one row per pair of languages, and the mean of each kind, in Markdown."""
    lines = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row for row in rows if row["kind"] == kind]
        mean: dict[str, Any] = {n: float(np.mean([row[n] for row in own])) for n in FIGURES}
        mean |= {"kind": kind, "languages": "mean", "pairs": sum(row["pairs"] for row in own)}
        for row in (*own, mean):
            figures = (f"{row[name]:.3f}" for name in FIGURES)
            lines.append((row["kind"], row["languages"], f"{row['pairs']:,}", *figures))
    return markdown_table(HEADER, lines)


@study(__doc__, "--data DIR", "--data DIR --model FOLDER --languages de,en,es,fr,ja,ko,zh")
@data_option()
@model_option(default="multilingual", help="Bundled name, several joined by +, or a folder.")
@option("--languages", default="de,en,es,fr", show_default=True, help="Two or more, by commas.")
def paws_across(data: Path | None, model: str, languages: str) -> None:
    """Encode, measure and print."""
    codes = list(dict.fromkeys(languages.split(",")))
    if len(codes) < 2 or not set(codes) <= set(PAWS_X_LANGUAGES):
        known = ", ".join(PAWS_X_LANGUAGES)
        raise StsError(f"--languages {languages}: expected two or more of {known}, such as en,es")
    dev, test = (
        {code: read_side(model, code, part, data) for code in codes} for part in ("dev", "test")
    )
    english = get_task("paws-x-en")
    labels = {
        part: labels_of(load(dataset, data).gold)
        for part, (dataset,) in (("dev", english.dev), ("test", english.datasets))
    }
    click.echo(paws_table(measure(dev, test, labels)))


if __name__ == "__main__":
    run_study(paws_across)
