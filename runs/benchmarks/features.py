"""Pairs a second with every feature, what each costs, and the same measures by other libraries.

    pip install -r requirements-dev.txt
    python -m runs.benchmarks.features --data DIR

The pairs are those of a task, scored or not, from raw strings to the matrix of `fusion`, in one
process and shared by two (as ``semaniacs score --jobs 2`` shares them). Resources are open and compiled code is
compiled; what is kept by word or by sentence is forgotten before each round.
In the table of costs, the first feature that looks at a view of the sentences pays for the view.
The other libraries measure the same pairs (a sample, they are slow), one pair after the other.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from statistics import median

import numpy as np

from embeddings import loading
from features.batch import Batch
from features.columns import FeatureColumns
from features.gc_disabled import gc_disabled
from features.measures.values.written_alike import written_alike
from features.registry import get_feature
from features.resources import Resources
from runs.benchmarks.timing import in_turns, take_turns
from runs.options import new_parser
from runs.recipes.ensemble2026 import COLUMNS
from runs.scale.processes import in_parts
from runs.tables.format import text_table
from sts.command_line import run_tool
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.data.pairs import Pairs, concatenate
from sts.text import analysis, tokenizer
from sts.text.analysis import Sentence

ROUNDS, SAMPLE, PROCESSES = 5, 300, 2

Span = tuple[float, float]


def forget() -> None:
    """Empty what is kept by word and by sentence, but no table: those are kept once or for good."""
    modules = [m for name, m in sys.modules.items() if name.startswith(("features.", "sts.text."))]
    for thing in [thing for module in modules for thing in vars(module).values()]:
        if hasattr(thing, "cache_parameters") and (thing.cache_parameters()["maxsize"] or 0) > 1:
            thing.cache_clear()


@cache
def _resources() -> Resources:
    encoder = loading.load_static()
    return Resources({"paraphrase1": encoder, "paraphrase2": encoder})


def afresh(pairs: Pairs) -> Span:
    """Compute the matrix, of sentences that were never seen; when it began and ended."""
    columns = FeatureColumns(COLUMNS, _resources(), written_alike=True)
    forget()
    begin = time.perf_counter()
    columns.compute(pairs)
    return begin, time.perf_counter()


def rates(pairs: Pairs) -> list[tuple[str, float]]:
    """Pairs a second in one process, with its threads, and shared by several, in turns."""
    shares, _ = in_parts(pairs, None, PROCESSES)
    with ProcessPoolExecutor(PROCESSES, get_context("spawn")) as pool:
        work = {
            "one process": lambda: [afresh(pairs)],
            f"{PROCESSES} processes": lambda: list(pool.map(afresh, shares)),
        }
        found = in_turns(work, ROUNDS)
    return [(how, len(pairs) / median(map(_seconds, rounds))) for how, rounds in found.items()]


def _seconds(spans: Sequence[Span]) -> float:
    """From the first beginning to the last end: a machine has one such clock."""
    begins, ends = zip(*spans, strict=True)
    return float(max(ends) - min(begins))


def costs(pairs: Pairs, resources: Resources) -> list[tuple[str, str, float]]:
    """(name, group, microseconds a pair) of the analysis and of each feature, on one thread."""
    forget()
    begin = time.perf_counter()
    analysed = analysis.analyse(pairs.sentences())
    batch = Batch([analysed[s] for s in pairs.left], [analysed[s] for s in pairs.right], resources)
    spent = [("(tokens, parts of speech)", "", time.perf_counter() - begin)]
    begin = time.perf_counter()
    batch = written_alike(batch)
    spent.append(("(written alike)", "", time.perf_counter() - begin))
    for name in COLUMNS:
        feature = get_feature(name)
        if all(resources.missing(need) is None for need in feature.needs):
            begin = time.perf_counter()
            feature.compute(batch)
            spent.append((name, feature.group, time.perf_counter() - begin))
    return [(name, group, 1e6 * seconds / len(pairs)) for name, group, seconds in spent]


Words = Sequence[str]
Measure = Callable[[str, str, Words, Words], float]


def peers() -> dict[str, tuple[str, Measure]]:
    """By name, a feature of ours and how another library measures it."""
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics.chrf import CHRF

    chrf = CHRF(word_order=0, beta=1, lowercase=True, whitespace=True)
    rouge, smooth = RougeScorer(["rougeL"]), SmoothingFunction().method2
    return {
        "sacrebleu chrF": ("chrf", lambda a, b, *_: float(chrf.sentence_score(a, [b]).score)),
        "rouge-score ROUGE-L": (
            "rouge_l", lambda a, b, *_: float(rouge.score(a, b)["rougeL"].fmeasure)
        ),
        "NLTK BLEU, both ways": (
            "bleu",
            lambda _, __, x, y: sentence_bleu([x], y, smoothing_function=smooth)
            + sentence_bleu([y], x, smoothing_function=smooth),
        ),
    }  # fmt: skip


def _measure_all(measure: Measure, sides: Sequence[tuple[str, str, Words, Words]]) -> None:
    for side in sides:
        measure(*side)


def _compute(
    name: str, left: Sequence[Sentence], right: Sequence[Sentence], resources: Resources
) -> None:
    get_feature(name).compute(Batch(left, right, resources))


def compare(pairs: Pairs, resources: Resources) -> list[tuple[str, str, float, float]]:
    """(library, our feature, its microseconds a pair, ours) in turns over a sample of pairs."""
    chosen = np.zeros(len(pairs), bool)
    chosen[np.random.default_rng(0).permutation(len(pairs))[:SAMPLE]] = True
    sample = pairs.select(chosen)
    both = zip(sample.left, sample.right, strict=True)
    sides = [(a, b, tokenizer.words(a), tokenizer.words(b)) for a, b in both]
    analysed = analysis.analyse(sample.sentences())
    left, right = ([analysed[s] for s in side] for side in (sample.left, sample.right))
    rows = []
    for label, (name, measure) in peers().items():
        contestants = {
            "theirs": partial(_measure_all, measure, sides),
            "ours": partial(_compute, name, left, right, resources),
        }
        seconds = take_turns(contestants, ROUNDS)
        theirs, ours = (1e6 * seconds[who] / len(sample) for who in ("theirs", "ours"))
        rows.append((label, name, theirs, ours))
    return rows


def main() -> None:
    """Measure and print three tables."""
    parser = new_parser("runs.benchmarks.features", __doc__)
    parser.add_argument("--task", default="sts2015", help="whose pairs (default: sts2015)")
    options = parser.parse_args()
    datasets = get_task(options.task).datasets
    pairs = concatenate([load(d, options.data, with_gold=False) for d in datasets])
    for how, rate in rates(pairs):
        print(f"{len(COLUMNS)} features of {len(pairs):,} pairs, {how}: {rate:,.0f} a second")
    resources = _resources()
    with gc_disabled():
        spent = costs(pairs, resources)
    print(f"\n{text_table(('feature', 'group', 'µs a pair'), _shown(spent))}\n")
    rows = [
        (label, name, f"{theirs:.1f}", f"{ours:.1f}", f"{theirs / ours:.1f}")
        for label, name, theirs, ours in compare(pairs, resources)
    ]
    header = ("library", "our feature", "its µs a pair", "ours", "ratio")
    print(text_table(header, rows))


def _shown(spent: Sequence[tuple[str, str, float]]) -> list[tuple[str, str, str]]:
    total = ("sum", "", sum(cost for _, _, cost in spent))
    return [(name, group, f"{cost:.1f}") for name, group, cost in (*spent, total)]


if __name__ == "__main__":
    run_tool(main)
