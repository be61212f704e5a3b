"""Sentences a second of a transformer, next to sentence-transformers with the same weights.

    pip install -r requirements-peers.txt
    python -m runs.benchmarks.transformer_encoding --data DIR

Both encode the same sentences, of all kinds, with the weights of all-MiniLM-L6-v2 or of another
folder, and take turns on two threads; then two sentences alone, and one long text. The CPU seconds
are those of all threads: they hold on a machine that does other work besides. The last line says
how far apart the vectors are.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from embeddings.transformer.bert_folder import load_bert
from embeddings.transformer.weights import FOLDER, INSTALL, find_transformer
from runs.benchmarks.encode import read_sentences
from runs.benchmarks.timing import in_turns
from runs.options import new_parser, require_peers
from runs.tables.format import text_table
from sts.command_line import count, run_tool
from sts.errors import MissingResourceError

SENTENCES, ROUNDS, THREADS = 10_000, 2, 2
OURS, THEIRS = "ours", "sentence-transformers"


class Cost(NamedTuple):
    """Wall and CPU seconds of one call, and its vectors."""

    wall: float
    cpu: float
    vectors: Any


def measured(encode: Callable[[Sequence[str]], Any], sentences: Sequence[str]) -> Cost:
    """What it costs to encode the sentences once."""
    wall, cpu = time.perf_counter(), time.process_time()
    vectors = encode(sentences)
    return Cost(time.perf_counter() - wall, time.process_time() - cpu, vectors)


def installed_folder() -> Path:
    """The folder of all-MiniLM-L6-v2, where its package is installed.

    Raises:
        MissingResourceError: it is not.
    """
    found = find_transformer()
    if found is None or not (found / FOLDER).is_dir():
        raise MissingResourceError(f"all-MiniLM-L6-v2 is not installed; to get it: {INSTALL}")
    return found / FOLDER


def in_both(folder: Path) -> dict[str, Callable[[Sequence[str]], Any]]:
    """The two ways to encode with the weights in a folder."""
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer

        theirs = SentenceTransformer(str(folder), device="cpu")
    torch.set_num_threads(THREADS)
    ours = load_bert(folder)
    return {
        OURS: lambda sentences: ours.encode(sentences, progress=False),
        THEIRS: lambda sentences: theirs.encode(list(sentences), show_progress_bar=False),
    }


def main() -> None:
    """Time, and print one table and a line."""
    parser = new_parser("runs.benchmarks.transformer_encoding", __doc__, data=False)
    parser.add_argument("--data", type=Path, required=True, help="folder with paraphrases/")
    parser.add_argument("--model", type=Path, help="folder (default: all-MiniLM-L6-v2)")
    parser.add_argument("--sentences", type=count, default=SENTENCES, help=f"({SENTENCES:,})")
    options = parser.parse_args()
    require_peers("torch", "sentence_transformers")
    encoders = in_both(options.model or installed_folder())
    many = read_sentences(options.data)[: options.sentences]
    rows = []
    for name, texts in {f"{len(many):,} sentences": many, "2 sentences": many[:2],
                        "a text of 200 words": ["the dog " * 100]}.items():  # fmt: skip
        work = {who: lambda e=e, t=texts: measured(e, t) for who, e in encoders.items()}
        costs = in_turns(work, ROUNDS if len(texts) > 2 else 20)
        wall, cpu = (
            {who: statistics.median(cost[place] for cost in found) for who, found in costs.items()}
            for place in (0, 1)
        )
        rows += [
            (name, who, f"{len(texts) / wall[who]:,.1f}", f"{wall[THEIRS] / wall[who]:.2f}",
             f"{len(texts) / cpu[who]:,.1f}", f"{cpu[THEIRS] / cpu[who]:.2f}")
            for who in encoders
        ]  # fmt: skip
        if texts is many:
            one, other = (costs[who][0].vectors for who in encoders)
            apart = float(np.abs(one - other).max())
    print(text_table(("texts", "encoder", "per second", "ratio", "per CPU second", "ratio"), rows))
    print(f"\nvectors differ by at most {apart:.1e}")


if __name__ == "__main__":
    run_tool(main)
