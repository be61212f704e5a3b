"""Measure the speed of scoring, reading, search and mining beside other libraries.

``research.peers`` measures encoding. Ours and theirs do the same work on this machine by turns, so
the ratio holds even where the speed of the machine changes. A row whose library is not installed is
left out.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from timeit import Timer
from typing import Any, NamedTuple

import click
import numpy as np

from research.study import run_study, study
from semaniacs import embeddings
from semaniacs.embeddings.loading import load_reader
from semaniacs.embeddings.mining.candidates import mine
from semaniacs.embeddings.search import SearchIndex
from semaniacs.embeddings.training.corpora import read_corpus
from semaniacs.runs.scorer import load as load_scorer
from semaniacs.runs.tables.format import markdown_table
from semaniacs.sts.command_line import COUNT, data_option, option
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.progress import note, track

CORPORA = ("quora-duplicates", "asset", "flickr30k-captions", "msrp-positives", "twitter-url")
SENTENCES, PAIRS, CORPUS = 128_000, 1000, 20_000

Call = Callable[[], Any]


class Contest(NamedTuple):
    """One row of the table: two calls that handle the same items, and the number of these."""

    work: str
    items: int
    ours: Call
    peer: str
    theirs: Call


def read_sentences(data: Path | None) -> list[str]:
    """Return distinct sentences of ``data/paraphrases``, or numbered ones of the sample."""
    if data is None:
        english = [d for d in get_task("sample").datasets if "es" not in d.languages]
        sample = [s for d in english for s in load(d, None, with_gold=False).sentences()]
        return [f"{number}: {sample[number % len(sample)]}" for number in range(SENTENCES)]
    corpora = [read_corpus(data / "paraphrases" / f"{name}.tsv.gz") for name in CORPORA]
    distinct = list(dict.fromkeys(side for pairs in corpora for pair in pairs for side in pair))
    chosen = np.random.default_rng(0).permutation(len(distinct))[:SENTENCES]
    return [distinct[place] for place in chosen]


def installed(*libraries: str) -> bool:
    """Return whether all libraries are installed; print a note if not."""
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        note(f"left out, because {missing[0]} is not installed: make peers")
    return not missing


def take_turns(work: Mapping[str, Call], rounds: int) -> dict[str, float]:
    """Return the median seconds of each call, after one round that does not count.

    The order of the calls is drawn anew for each round.
    """
    found: dict[str, list[float]] = {name: [] for name in work}
    names = list(work)
    for number in track(range(rounds + 1), "rounds", "rounds"):
        for place in np.random.default_rng(number).permutation(len(names)):
            calls, seconds = Timer(work[names[place]]).autorange()
            if number:
                found[names[place]].append(seconds / calls)
    return {name: statistics.median(values) for name, values in found.items()}


def pair_contests(sentences: list[str]) -> Iterator[Contest]:
    """Compare the fusion with a transformer's cosine, and our network with a cross-encoder."""
    if installed("sentence_transformers"):
        from research.peers import cross_encoder, minilm

        left, right = sentences[:PAIRS], sentences[PAIRS : 2 * PAIRS]
        ours: Call = partial(load_scorer("fusion").score, left, right)
        theirs: Call = partial(minilm().encode, left + right)
        yield Contest("score pairs, fusion", PAIRS, ours, "MiniLM", theirs)
        ours = partial(load_reader().predict, left, right)
        theirs = partial(cross_encoder().predict, list(zip(left, right, strict=True)))
        yield Contest("score pairs, reader", PAIRS, ours, "CrossEncoder", theirs)


def search_contests(sentences: list[str]) -> Iterator[Contest]:
    """Search the five nearest sentences, and mine pairs, beside faiss."""
    if not installed("faiss"):
        return
    import faiss

    encoder = embeddings.load()
    one, other = (
        np.ascontiguousarray(encoder.encode(part, normalize=True))
        for part in (sentences[:CORPUS], sentences[CORPUS : 2 * CORPUS])
    )
    index = SearchIndex.build(sentences[:CORPUS])
    flat, back = faiss.IndexFlatIP(one.shape[1]), faiss.IndexFlatIP(one.shape[1])
    flat.add(one)
    back.add(other)
    queries = other[:PAIRS]
    ours, theirs = partial(index.query, queries, 5), partial(flat.search, queries, 5)
    yield Contest("search", PAIRS, ours, "faiss.IndexFlatIP", theirs)

    def both_ways() -> None:
        flat.search(other, 4)
        back.search(one, 4)

    yield Contest("mine", CORPUS, partial(mine, other, one), "faiss, search both ways", both_ways)


@study(__doc__, "", "--data ALL")
@data_option(help="Folder with paraphrases/ (default: numbered sentences of the sample).")
@option("--rounds", type=COUNT, default=3, show_default=True, help="Times each call is measured.")
def speed(data: Path | None, rounds: int) -> None:
    """Print the items per second of every contest, and the ratio."""
    sentences, rows = read_sentences(data), []
    for contest in (*pair_contests(sentences), *search_contests(sentences)):
        seconds = take_turns({"ours": contest.ours, "theirs": contest.theirs}, rounds)
        ours, theirs = (contest.items / seconds[side] for side in ("ours", "theirs"))
        cells = f"{ours:,.0f}", contest.peer, f"{theirs:,.0f}", f"{ours / theirs:.3g}"
        rows.append((contest.work, *cells))
    header = ("work", "ours, per second", "beside", "theirs, per second", "ratio")
    click.echo(markdown_table(header, rows))


if __name__ == "__main__":
    run_study(speed)
