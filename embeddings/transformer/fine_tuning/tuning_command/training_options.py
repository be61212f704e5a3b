"""Options of the commands that train a transformer."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.weights import INSTALL, find_transformer
from sts.command_line import count, positive, seed
from sts.errors import MissingResourceError, StsError

if TYPE_CHECKING:
    from embeddings.transformer.transformer_encoder import Transformer


def add_training(parser: argparse.ArgumentParser, usual: FineTuning, things: str) -> None:
    """Add the options of a training of so many epochs and so on, on things of this name."""
    add = parser.add_argument
    add("-o", "--output", type=Path, required=True, metavar="FOLDER", help="folder to write")
    add("--from", dest="start", type=Path, metavar="FOLDER",
        help="a BERT, RoBERTa or XLM-R to start from (default: all-MiniLM-L6-v2)")  # fmt: skip
    for name, kind, value, about in (
        ("epochs", count, usual.epochs, f"passes over the {things}"),
        ("batch", count, usual.batch, f"{things} that are read at once"),
        ("accumulate", count, usual.accumulate, "batches to a step, where memory is short"),
        ("learning-rate", positive, usual.learning_rate, "highest of the training"),
        ("dropout", probability, usual.dropout, "share of the numbers left out of a step"),
        ("seed", seed, usual.seed, "of everything drawn"),
    ):
        add(f"--{name}", type=kind, default=value, help=f"{about} (default: {value:g})")
    frozen = "none" if usual.frozen is None else usual.frozen
    add("--frozen", type=_layers, default=usual.frozen, metavar="N",
        help="lower layers that stay as they are; none trains the embeddings too "
        f"(default: {frozen})")  # fmt: skip
    add("--tokens", type=count, metavar="N", help="read of a text (default: as the start has it)")
    add("--checkpoint", type=Path, metavar="FILE",
        help="to resume from (default: FOLDER.checkpoint.safetensors)")  # fmt: skip
    add("--overwrite", action="store_true", help="replace the folder if it stands there")


def share(text: str) -> float:
    """The type of an option: a number above 0 and below 1."""
    if not 0 < float(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}; expected a share between 0 and 1")
    return float(text)


def probability(text: str) -> float:
    """The type of an option: a number from 0 on, below 1."""
    if not 0 <= float(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}; expected 0 or more, below 1")
    return float(text)


def _layers(text: str) -> int | None:
    return None if text == "none" else seed(text)


def configuration(options: argparse.Namespace, usual: FineTuning) -> FineTuning:
    """How is trained, by the options of :func:`add_training`."""
    return replace(
        usual,
        epochs=options.epochs,
        batch=options.batch,
        accumulate=options.accumulate,
        learning_rate=options.learning_rate,
        dropout=options.dropout,
        seed=options.seed,
        frozen=options.frozen,
    )


def checkpoint_of(options: argparse.Namespace) -> Path:
    """The file of checkpoints: as it is named, or beside the folder that is written."""
    beside = options.output.with_name(f"{options.output.name}.checkpoint.safetensors")
    return Path(options.checkpoint or beside)


def find_start(named: Path | None) -> Path:
    """The folder that was named, or where all-MiniLM-L6-v2 is.

    Raises:
        MissingResourceError: it is not installed.
    """
    found = named or find_transformer()
    if found is None:
        raise MissingResourceError(
            f"no --from, and all-MiniLM-L6-v2 is not here; to have it: {INSTALL}"
        )
    return found


def opened(source: Path, options: argparse.Namespace) -> Transformer:
    """The network to start from, which reads ``--tokens``.

    Raises:
        StsError: it has fewer layers than are to be frozen, or reads fewer tokens.
    """
    from embeddings.transformer.bert_folder import load_bert, read_transformer
    from embeddings.transformer.transformer_encoder import Transformer

    start = (
        load_bert(source) if options.start and not source.is_file() else read_transformer(source)
    )
    if options.frozen is not None and options.frozen > start.shape.layers:
        raise StsError(
            f"--frozen {options.frozen}: the network has {start.shape.layers} layers; expected fewer"
        )
    if options.tokens is None:
        return start
    if options.tokens > start.longest:
        raise StsError(f"--tokens {options.tokens}: the network reads {start.longest} at most")
    return Transformer(
        start.weights, start.shape, start.tokenizer, start.head, options.tokens,
        lowercase=start.lowercase,
    )  # fmt: skip


def say(text: str) -> None:
    """Print a line on stderr."""
    print(text, file=sys.stderr)


@contextmanager
def within_memory(how: FineTuning) -> Iterator[None]:
    """Report a training that runs out of memory in one line that says what to set.

    Raises:
        StsError: the training ran out of memory.
    """
    try:
        yield
    except (MemoryError, RuntimeError) as error:  # XLA raises a RuntimeError
        if isinstance(error, RuntimeError) and "RESOURCE_EXHAUSTED" not in str(error):
            raise
        smaller = max(1, how.batch // 2)
        raise StsError(
            f"out of memory: set --batch {smaller} --accumulate {2 * how.accumulate}, "
            "fewer --tokens, or a higher --frozen"
        ) from None
