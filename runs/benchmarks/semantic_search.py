"""Seconds to index 100,000 questions and to ask the index, next to faiss and sentence-transformers.

    pip install -r requirements-peers.txt
    python -m runs.benchmarks.semantic_search --data DIR

All search the same vectors, those of the distinct questions, exactly, for the five nearest. They
take turns. The peers are given vectors; our times with sentences count their encoding.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from embeddings import loading
from embeddings.encoder import unit
from embeddings.search import SearchIndex
from embeddings.table import Vectors
from embeddings.training.pairs.corpora import read_corpus
from runs.benchmarks.timing import take_turns
from runs.options import new_parser, require_peers
from runs.tables.format import text_table
from sts.command_line import run_tool

ROUNDS, K, MANY, SPARE = 5, 5, 1000, 1000

Work = dict[str, Callable[[], Any]]


def making(questions: list[str], folder: Path) -> Work:
    """What makes an index and opens it."""
    kept = folder / "kept"
    SearchIndex.build(questions, folder=kept)
    return {
        "build in memory": lambda: SearchIndex.build(questions),
        "build in a folder": lambda: SearchIndex.build(
            iter(questions), folder=folder / "again", overwrite=True
        ),
        "open, with all checksums": lambda: SearchIndex.load(kept),
    }


def asking(index: SearchIndex, vectors: Vectors, queries: list[str], given: Vectors) -> Work:
    """Everyone who is asked, by name."""
    import faiss
    import torch
    from sentence_transformers.util import semantic_search

    flat = faiss.IndexFlatIP(index.dim)
    flat.add(vectors)
    corpus, asked = torch.from_numpy(vectors), torch.from_numpy(given)
    return {
        "ours, sentences": lambda: index.query(queries, K),
        "ours, vectors": lambda: index.query(given, K),
        "faiss.IndexFlatIP": lambda: flat.search(given, K),
        "semantic_search": lambda: semantic_search(asked, corpus, top_k=K),
    }


def timed(work: Work, unit_name: str, compared: str | None = None) -> str:
    """A table of median times in seconds or milliseconds."""
    seconds: Mapping[str, float] = take_turns(work, ROUNDS)
    scale = 1000 if unit_name == "ms" else 1
    rows = [
        (name, f"{scale * s:,.2f}", f"{s / seconds[compared]:.2f}" if compared else "")
        for name, s in seconds.items()
    ]
    head = ("", unit_name, f"times {compared}" if compared else "")
    return text_table(head, rows)


def main() -> None:
    """Print three tables: making an index, asking it once, and asking it often."""
    parser = new_parser("runs.benchmarks.semantic_search", __doc__, data=False)
    parser.add_argument("--data", type=Path, required=True, help="folder with paraphrases/")
    options = parser.parse_args()
    require_peers("faiss", "torch", "sentence_transformers")
    pairs = read_corpus(options.data / "paraphrases" / "quora-duplicates.tsv.gz")
    questions = [side for pair in pairs for side in pair]
    encoder = loading.load()
    with tempfile.TemporaryDirectory() as name:
        print(timed(making(questions[:-SPARE], Path(name)), "s"))
        index = SearchIndex.load(Path(name, "kept"))
        size = sum(path.stat().st_size for path in Path(name, "kept").iterdir())
        print(f"\n{len(index):,} questions, {index.distinct:,} distinct, {size / 1e6:.1f} MB\n")
        vectors = unit(encoder.encode(list(dict.fromkeys(questions[:-SPARE]))))
        vectors = np.ascontiguousarray(vectors[vectors.any(axis=1)])
        queries = questions[-SPARE:]
        given = unit(encoder.encode(queries))
        for count in (1, MANY):
            print(f"queries: {count:,}, hits each: {K}")
            work = asking(index, vectors, queries[:count], given[:count])
            print(timed(work, "ms", "faiss.IndexFlatIP") + "\n")


if __name__ == "__main__":
    run_tool(main)
