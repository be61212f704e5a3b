"""Measure the speed of encoding, scoring, features, search and mining beside other libraries.

Ours and theirs do the same work on this machine by turns, so the ratio holds even where the
speed of the machine changes. A row whose library is not installed is left out.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

import embeddings
from embeddings.training.pairs.corpora import read_corpus
from runs.tables.format import markdown_table
from sts.command_line import COUNT, data_option, examples, option, run_command, run_tool
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.progress import note, track

CORPORA = ("quora-duplicates", "asset", "flickr30k-captions", "msrp-positives", "twitter-url")
SENTENCES, PAIRS, VECTORS = 128_000, 1000, 20_000
DIMENSIONS = 300

SHORTEST = 0.5
"""Seconds that one measurement takes at least."""

Call = Callable[[], Any]


class Contest(NamedTuple):
    """One row of the table.

    Attributes:
        work: name of the work.
        unit: the items that are counted.
        ours: our call and its number of items.
        peer: name of the other library's way.
        theirs: its call and its number of items.
    """

    work: str
    unit: str
    ours: tuple[Call, int]
    peer: str
    theirs: tuple[Call, int]


def read_sentences(data: Path | None, count: int = SENTENCES) -> list[str]:
    """Return distinct sentences in random order.

    Args:
        data: folder with ``paraphrases/``; None takes the sentences of the sample, numbered.
        count: number of sentences.
    """
    if data is None:
        english = [d for d in get_task("sample").datasets if d.languages == ("en", "en")]
        sample = [s for d in english for s in load(d, None, with_gold=False).sentences()]
        return [f"{number}: {sample[number % len(sample)]}" for number in range(count)]
    corpora = [read_corpus(data / "paraphrases" / f"{name}.tsv.gz") for name in CORPORA]
    distinct = list(dict.fromkeys(side for pairs in corpora for pair in pairs for side in pair))
    chosen = np.random.default_rng(0).permutation(len(distinct))[:count]
    return [distinct[place] for place in chosen]


def installed(*libraries: str) -> bool:
    """Return whether all libraries are installed; print a note if not."""
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        note(f"left out, because {missing[0]} is not installed: make peers")
    return not missing


def seconds_of(call: Call) -> float:
    """Return the mean seconds of a call that is repeated for at least half a second."""
    begin, calls, passed = time.perf_counter(), 0, 0.0
    while passed < SHORTEST:
        call()
        calls += 1
        passed = time.perf_counter() - begin
    return passed / calls


def take_turns(work: Mapping[str, Call], rounds: int) -> dict[str, float]:
    """Return the median seconds of each call, after one round that does not count.

    The order of the calls is drawn anew for each round.
    """
    found: dict[str, list[float]] = {name: [] for name in work}
    names = list(work)
    for number in track(range(rounds + 1), "rounds", "rounds"):
        for place in np.random.default_rng(number).permutation(len(names)):
            seconds = seconds_of(work[names[place]])
            if number:
                found[names[place]].append(seconds)
    return {name: statistics.median(values) for name, values in found.items()}


# The contests


def encoding(sentences: list[str]) -> Iterator[Contest]:
    """Encode sentences with our two static encoders, beside model2vec and sentence-transformers."""
    if not installed("model2vec", "sentence_transformers"):
        return
    from research.peers import distilled, minilm

    static = distilled()
    transformer = minilm()
    few = sentences[: SENTENCES // 100]
    for name, language in (("paragram", None), ("bitext-sp", "en")):
        encoder = embeddings.load(name, language) if language else embeddings.load(name)
        ours = (lambda encoder=encoder: encoder.encode(sentences), len(sentences))
        yield Contest(
            f"encode, {name}", "sentences", ours,
            "model2vec", (lambda: static.encode(sentences), len(sentences)),
        )  # fmt: skip
        yield Contest(
            f"encode, {name}", "sentences", ours,
            "MiniLM, sentence-transformers",
            (lambda: transformer.encode(few, show_progress_bar=False), len(few)),
        )  # fmt: skip


def sample_pairs(sentences: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return two columns of sentences that are no pair of any data set."""
    return list(sentences[:PAIRS]), list(sentences[PAIRS : 2 * PAIRS])


def scoring(sentences: list[str]) -> Iterator[Contest]:
    """Score pairs with the fusion, beside the cosine of a transformer."""
    import semaniacs

    if not installed("sentence_transformers"):
        return
    from research.peers import minilm

    left, right = sample_pairs(sentences)
    scorer, transformer = semaniacs.load("fusion"), minilm()
    yield Contest(
        "score, fusion", "pairs", (lambda: scorer.score(left, right), len(left)),
        "MiniLM, sentence-transformers",
        (lambda: transformer.encode(left + right, show_progress_bar=False), len(left)),
    )  # fmt: skip


def features(sentences: list[str]) -> Iterator[Contest]:
    """Compute all features of the fusion, beside a single measure of other libraries."""
    from embeddings.loading import load_static
    from features.columns import FeatureColumns
    from features.resources import Resources
    from runs.recipes.ensemble2026 import COLUMNS
    from sts.data.pairs import Pairs

    if not installed("sacrebleu", "rouge_score"):
        return
    from rouge_score.rouge_scorer import RougeScorer
    from sacrebleu.metrics.chrf import CHRF

    left, right = sample_pairs(sentences)
    pairs = Pairs("speed", tuple(left), tuple(right), np.full(len(left), np.nan))
    encoder = load_static()
    columns = FeatureColumns(COLUMNS, Resources({"paraphrase1": encoder, "paraphrase2": encoder}))
    ours = (lambda: columns.compute(pairs), len(left))
    chrf, rouge = CHRF(), RougeScorer(["rougeL"])
    peers: dict[str, Callable[[str, str], Any]] = {
        "chrF alone, sacrebleu": lambda a, b: chrf.sentence_score(a, [b]),
        "ROUGE-L alone, rouge-score": rouge.score,
    }
    for name, measure in peers.items():

        def theirs(measure: Callable[[str, str], Any] = measure) -> None:
            for a, b in zip(left, right, strict=True):
                measure(a, b)

        yield Contest(f"{len(COLUMNS)} features", "pairs", ours, name, (theirs, len(left)))


def random_sides() -> tuple[Any, Any]:
    """Return two (n, dim) float32 matrices of unit rows; one row in forty is a noisy copy."""
    rng = np.random.default_rng(0)
    spectrum = np.arange(1, DIMENSIONS + 1, dtype=np.float32) ** -0.5
    source, target = (
        rng.standard_normal((VECTORS, DIMENSIONS), np.float32) * spectrum for _ in range(2)
    )
    target[::40] = source[::40] + 0.5 * target[::40]
    return tuple(m / np.linalg.norm(m, axis=1, keepdims=True) for m in (source, target))


def searching(sentences: list[str]) -> Iterator[Contest]:
    """Ask an index for the five nearest sentences, beside faiss."""
    if not installed("faiss"):
        return
    import faiss

    from embeddings.search import SearchIndex

    corpus, queries = sentences[PAIRS : PAIRS + VECTORS], sentences[:PAIRS]
    encoder = embeddings.load()
    vectors, asked = (
        np.ascontiguousarray(encoder.encode(part, normalize=True)) for part in (corpus, queries)
    )
    flat = faiss.IndexFlatIP(vectors.shape[1])
    flat.add(vectors)
    index = SearchIndex.build(corpus)
    yield Contest(
        "search, vectors", "queries", (lambda: index.query(asked, 5), len(asked)),
        "faiss.IndexFlatIP", (lambda: flat.search(asked, 5), len(asked)),
    )  # fmt: skip


def mining(_: list[str]) -> Iterator[Contest]:
    """Mine pairs by margin, beside a plain search in both directions by faiss."""
    if not installed("faiss"):
        return
    import faiss

    from embeddings.mining.candidates import mine

    source, target = random_sides()

    def theirs() -> None:
        for one, other in ((source, target), (target, source)):
            flat = faiss.IndexFlatIP(DIMENSIONS)
            flat.add(one)
            flat.search(other, 4)

    yield Contest(
        "mine", "sentences", (lambda: mine(source, target), len(source)),
        "faiss, search both ways", (theirs, len(source)),
    )  # fmt: skip


KINDS: dict[str, Callable[[list[str]], Iterator[Contest]]] = {
    "encode": encoding,
    "score": scoring,
    "features": features,
    "search": searching,
    "mine": mining,
}


def measure(kinds: Sequence[str], sentences: list[str], rounds: int) -> list[dict[str, Any]]:
    """Return the items per second of every contest of these kinds, and the ratio."""
    rows = []
    for kind in kinds:
        for contest in KINDS[kind](sentences):
            work = {"ours": contest.ours[0], "theirs": contest.theirs[0]}
            seconds = take_turns(work, rounds)
            ours = contest.ours[1] / seconds["ours"]
            theirs = contest.theirs[1] / seconds["theirs"]
            note(f"{contest.work}: {ours / theirs:.1f} × {contest.peer}")
            rows.append(
                {
                    "work": contest.work,
                    "unit": contest.unit,
                    "ours": round(ours),
                    "peer": contest.peer,
                    "theirs": round(theirs),
                    "ratio": round(ours / theirs, 2),
                }
            )
    return rows


def speed_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the Markdown table of the rows."""
    header = ("work", "ours, per second", "beside", "theirs, per second", "ratio")
    cells = [
        (
            row["work"],
            f"{row['ours']:,} {row['unit']}",
            row["peer"],
            f"{row['theirs']:,}",
            f"{row['ratio']:,.0f}" if row["ratio"] >= 10 else f"{row['ratio']:.2g}",
        )
        for row in rows
    ]
    return markdown_table(header, cells)


@click.command(
    help=__doc__,
    epilog=examples(
        "python -m research.speed",
        "python -m research.speed --data ALL --only encode --only search --record",
    ),
)
@data_option(help="Folder with paraphrases/ (default: numbered sentences of the sample).")
@option("--only", type=click.Choice([*KINDS]), multiple=True, help="Kind of work; repeatable.")
@option("--sentences", type=COUNT, default=SENTENCES, show_default=True, help="To encode.")
@option("--rounds", type=COUNT, default=3, show_default=True, help="Times each call is measured.")
@option("--record", is_flag=True, help="Write the rows to research/results.jsonl.")
def speed(
    data: Path | None, only: tuple[str, ...], sentences: int, rounds: int, record: bool
) -> None:
    """Print the table."""
    from research.tables import write_record

    rows = measure(only or [*KINDS], read_sentences(data, sentences), rounds)
    click.echo(speed_table(rows))
    if record:
        write_record("ratios", rows)


if __name__ == "__main__":
    run_tool(lambda: run_command(speed, "python -m research.speed"))
