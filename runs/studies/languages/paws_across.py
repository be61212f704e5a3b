"""PAWS-X by an encoder of several languages: within a language, and across two.

    python -m runs.studies paws-across --data DIR --model bitext-teacher
    python -m runs.studies paws-across --data DIR --model FOLDER --languages de en es fr ja ko zh

The three kinds of pairs of Fedorova and Musatow (3.2), all from the same rows of PAWS-X:

intra
    Both sentences in one language.
inter-para
    The left sentence in one language, the right one in another.
inter-same
    A sentence and its translation. How the paper makes other pairs of this kind is not said; here,
    of the rows of label 0, the left sentence beside the translation of the right one.

FOLDER is that of any BERT-like network, which reads all languages by itself. The score is the
cosine. Thresholds have the highest accuracy on the development sets: one for each pair of
languages, and one for all of a kind. A row that nobody translated has label 0 within a language, as
it is published, and is left out across two.

Writes paws_across.json to OUTPUT and prints the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embeddings.encoder import cosine
from embeddings.mining.corpus_vectors import mining_encoder
from embeddings.table import Vectors
from runs.options import new_parser
from runs.tables.format import markdown_table
from runs.tables.pages import write_json
from sts.data.catalog import PAWS_X_LANGUAGES, get_task
from sts.data.fetch import load
from sts.data.pairs import Scores
from sts.errors import StsError
from sts.files import check_writable
from sts.progress import note
from sts.scoring.classification import Labels, best_threshold, labels_of, roc_auc

KINDS = ("intra", "inter-para", "inter-same")
HEADER = ("kind", "languages", "pairs", "accuracy", "one threshold", "AUC")

UNTRANSLATED = "NS"


class Side(NamedTuple):
    """PAWS-X in one language: the vectors of both sentences of n rows.

    Attributes:
        left, right: (n, dim).
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


def read_side(model: str, language: str, part: str, data: Path | None) -> Side:
    """The development or the test set of a language, encoded."""
    task = get_task(f"paws-x-{language}")
    (dataset,) = task.datasets if part == "test" else task.dev
    pairs = load(dataset, data)
    encoder = mining_encoder(model, language)
    there = [UNTRANSLATED not in sides for sides in zip(pairs.left, pairs.right, strict=True)]
    left, right = encoder.encode(pairs.left), encoder.encode(pairs.right)
    return Side(left, right, labels_of(pairs.gold), np.array(there))


def judged(kind: str, one: Side, other: Side, english: Labels) -> Judged:
    """The pairs of a kind between two languages, which are the same for ``intra``.

    Args:
        kind: of :data:`KINDS`.
        one, other: the same rows in both languages.
        english: their labels in English, which those across languages have.
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
) -> list[dict[str, Any]]:
    """The figures of each kind and of each pair of languages.

    Args:
        dev, test: by language.
        labels: English labels of the rows of ``dev`` and ``test``.
    """
    rows = []
    for kind in KINDS:
        codes = [(c, c) for c in test] if kind == "intra" else [*permutations(test, 2)]
        chosen = {c: judged(kind, dev[c[0]], dev[c[1]], labels["dev"]) for c in codes}
        pooled = Judged(*map(np.concatenate, zip(*chosen.values(), strict=True)))
        for_all = best_threshold(pooled.labels, pooled.scores)
        for code in codes:
            found = judged(kind, test[code[0]], test[code[1]], labels["test"])
            own = best_threshold(chosen[code].labels, chosen[code].scores)
            rows.append(
                {
                    "kind": kind,
                    "languages": "–".join(dict.fromkeys(code)),
                    "pairs": len(found.labels),
                    "accuracy": accuracy(found, own),
                    "one_threshold": accuracy(found, for_all),
                    "auc": roc_auc(found.labels, found.scores),
                }
            )
    return rows


def accuracy(found: Judged, threshold: float) -> float:
    """The share of pairs on the right side of a threshold."""
    return float(np.mean((found.scores >= threshold) == found.labels))


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Markdown: a pair of languages a row, and the mean of each kind."""
    figures = ("accuracy", "one_threshold", "auc")
    lines = []
    for kind in dict.fromkeys(row["kind"] for row in rows):
        own = [row for row in rows if row["kind"] == kind]
        means = {name: float(np.mean([row[name] for row in own])) for name in figures}
        total = {"kind": kind, "languages": "mean", "pairs": sum(row["pairs"] for row in own)}
        lines += [
            (
                row["kind"], row["languages"], f"{row['pairs']:,}",
                *(f"{row[name]:.3f}" for name in figures),
            )
            for row in (*own, total | means)
        ]  # fmt: skip
    return markdown_table(HEADER, lines)


def main() -> None:
    """Encode, measure, write and print."""
    parser = new_parser("runs.studies paws-across", __doc__)
    parser.add_argument(
        "--model",
        default="bitext-teacher",
        help="bundled name, several joined by +, or a folder (default: bitext-teacher)",
    )
    parser.add_argument(
        "--languages",
        nargs="+",
        choices=PAWS_X_LANGUAGES,
        default=["de", "en", "es", "fr"],
        help="two or more (default: de en es fr)",
    )
    parser.add_argument(
        "--output", type=Path, default=Path("output"), help="folder (default: output)"
    )
    options = parser.parse_args()
    languages = list(dict.fromkeys(options.languages))
    if len(languages) < 2:
        raise StsError(f"--languages {languages[0]}: expected two or more, such as en es")
    check_writable(options.output)
    sides: dict[str, dict[str, Side]] = {"dev": {}, "test": {}}
    for language in languages:
        for part, found in sides.items():
            found[language] = read_side(options.model, language, part, options.data)
        note(f"{language} is encoded")
    english = get_task("paws-x-en")
    labels = {
        part: labels_of(load(dataset, options.data).gold)
        for part, (dataset,) in (("dev", english.dev), ("test", english.datasets))
    }
    rows = measure(sides["dev"], sides["test"], labels)
    write_json(options.output / "paws_across.json", {"model": options.model, "rows": rows})
    print(table(rows))
