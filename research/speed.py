"""Measure the speed of encoding, scoring, reading, features, search and mining beside other libraries.

Ours and theirs do the same work on this machine by turns, so the ratio holds even where the
speed of the machine changes. A row whose library is not installed is left out.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

from research.study import run_study, study
from semaniacs import embeddings
from semaniacs.embeddings.loading import load_reader
from semaniacs.embeddings.mining.candidates import mine
from semaniacs.embeddings.search import SearchIndex
from semaniacs.embeddings.training.corpora import read_corpus
from semaniacs.features.registry import FeatureColumns
from semaniacs.features.resources import Resources
from semaniacs.runs.recipes.ensemble2026 import COLUMNS
from semaniacs.runs.scorer import load as load_scorer
from semaniacs.runs.tables.format import markdown_table
from semaniacs.sts.command_line import COUNT, data_option, option
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.progress import note, track

CORPORA = ("quora-duplicates", "asset", "flickr30k-captions", "msrp-positives", "twitter-url")
SENTENCES, PAIRS, CORPUS = 128_000, 1000, 20_000

SHORTEST = 0.5
"""Seconds that one measurement takes at least."""

Call = Callable[[], Any]


class Contest(NamedTuple):
    """One row of the table: two calls, and the number of items that each one handles."""

    work: str
    unit: str
    ours: Call
    our_items: int
    peer: str
    theirs: Call
    their_items: int


def read_sentences(data: Path | None, count: int = SENTENCES) -> list[str]:
    """Return distinct sentences of ``data/paraphrases``, or numbered ones of the sample."""
    if data is None:
        english = [d for d in get_task("sample").datasets if "es" not in d.languages]
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


def encoding(sentences: list[str]) -> Iterator[Contest]:
    """Encode with our two static encoders, beside model2vec and sentence-transformers."""
    if not installed("model2vec", "sentence_transformers"):
        return
    from research.peers import distilled, minilm

    few = sentences[: SENTENCES // 100]
    peers = {
        "model2vec": (partial(distilled().encode, sentences), len(sentences)),
        "MiniLM, sentence-transformers": (partial(minilm().encode, few), len(few)),
    }
    for name, language in (("paragram", "en"), ("bitext-sp", "en")):
        ours = partial(embeddings.load(name, language).encode, sentences)
        for peer, theirs in peers.items():
            yield Contest(f"encode, {name}", "sentences", ours, len(sentences), peer, *theirs)


def scoring(sentences: list[str]) -> Iterator[Contest]:
    """Score pairs with the fusion, beside the cosine of a transformer."""
    if installed("sentence_transformers"):
        from research.peers import minilm

        left, right = sentences[:PAIRS], sentences[PAIRS : 2 * PAIRS]
        ours = partial(load_scorer("fusion").score, left, right)
        theirs = partial(minilm().encode, left + right)
        peer = "MiniLM, sentence-transformers"
        yield Contest("score, fusion", "pairs", ours, PAIRS, peer, theirs, PAIRS)


def reading(sentences: list[str]) -> Iterator[Contest]:
    """Read both sentences of pairs with our network, beside a cross-encoder of the same size."""
    if installed("sentence_transformers"):
        from research.peers import cross_encoder

        left, right = sentences[:PAIRS], sentences[PAIRS : 2 * PAIRS]
        ours = partial(load_reader().predict, left, right)
        theirs = partial(cross_encoder().predict, list(zip(left, right, strict=True)))
        peer = "CrossEncoder, sentence-transformers"
        yield Contest("read, reader", "pairs", ours, PAIRS, peer, theirs, PAIRS)


def features(sentences: list[str]) -> Iterator[Contest]:
    """Compute all features of the fusion, beside a single measure of sacrebleu."""
    if installed("sacrebleu"):
        from sacrebleu.metrics.chrf import CHRF

        left, right = sentences[:PAIRS], sentences[PAIRS : 2 * PAIRS]
        pairs = Pairs("speed", tuple(left), tuple(right), np.full(PAIRS, np.nan))
        columns = FeatureColumns([c for c in COLUMNS if "paraphrase" not in c], Resources())
        chrf = CHRF()

        def theirs() -> None:
            for a, b in zip(left, right, strict=True):
                chrf.sentence_score(a, [b])

        work, peer = f"{len(columns.names)} features", "chrF alone, sacrebleu"
        yield Contest(work, "pairs", partial(columns.compute, pairs), PAIRS, peer, theirs, PAIRS)


def searching(sentences: list[str]) -> Iterator[Contest]:
    """Search the five nearest sentences, and mine pairs, beside faiss."""
    if not installed("faiss"):
        return
    import faiss

    half = min(CORPUS, len(sentences) // 2)
    encoder = embeddings.load()
    one, other = (
        np.ascontiguousarray(encoder.encode(part, normalize=True))
        for part in (sentences[:half], sentences[half : 2 * half])
    )
    index, flat = SearchIndex.build(sentences[:half]), faiss.IndexFlatIP(one.shape[1])
    flat.add(one)
    back = faiss.IndexFlatIP(one.shape[1])
    back.add(other)
    queries = other[:PAIRS]

    def both_ways() -> None:
        flat.search(other, 4)
        back.search(one, 4)

    ours, theirs = partial(index.query, queries, 5), partial(flat.search, queries, 5)
    yield Contest("search", "queries", ours, PAIRS, "faiss.IndexFlatIP", theirs, PAIRS)
    peer = "faiss, search both ways"
    yield Contest("mine", "sentences", lambda: mine(other, one), half, peer, both_ways, half)


KINDS: dict[str, Callable[[list[str]], Iterator[Contest]]] = {
    "encode": encoding,
    "score": scoring,
    "read": reading,
    "features": features,
    "search": searching,
}


def measure(kinds: Sequence[str], sentences: list[str], rounds: int) -> list[dict[str, Any]]:
    """Return the items per second of every contest of these kinds, and the ratio."""
    rows = []
    for contest in (contest for kind in kinds for contest in KINDS[kind](sentences)):
        seconds = take_turns({"ours": contest.ours, "theirs": contest.theirs}, rounds)
        ours = contest.our_items / seconds["ours"]
        theirs = contest.their_items / seconds["theirs"]
        note(f"{contest.work}: {ours / theirs:.1f} × {contest.peer}")
        row: dict[str, Any] = {"work": contest.work, "unit": contest.unit, "ours": round(ours)}
        row |= {"peer": contest.peer, "theirs": round(theirs), "ratio": round(ours / theirs, 2)}
        rows.append(row)
    return rows


def speed_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the Markdown table of the rows."""
    header = ("work", "ours, per second", "beside", "theirs, per second", "ratio")
    cells = []
    for row in rows:
        ratio = f"{row['ratio']:,.0f}" if row["ratio"] >= 10 else f"{row['ratio']:.2g}"
        ours, theirs = f"{row['ours']:,} {row['unit']}", f"{row['theirs']:,}"
        cells.append((row["work"], ours, row["peer"], theirs, ratio))
    return markdown_table(header, cells)


@study(__doc__, "", "--only encode")
@data_option(help="Folder with paraphrases/ (default: numbered sentences of the sample).")
@option("--only", type=click.Choice([*KINDS]), multiple=True, help="Kind of work; repeatable.")
@option("--sentences", type=COUNT, default=SENTENCES, show_default=True, help="To encode.")
@option("--rounds", type=COUNT, default=3, show_default=True, help="Times each call is measured.")
def speed(data: Path | None, only: tuple[str, ...], sentences: int, rounds: int) -> None:
    """Print the table."""
    click.echo(speed_table(measure(only or [*KINDS], read_sentences(data, sentences), rounds)))


if __name__ == "__main__":
    run_study(speed)
