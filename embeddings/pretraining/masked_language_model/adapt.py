"""``python -m embeddings adapt``: a transformer learns from raw text, without any gold."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from embeddings.formats.lines import lines
from embeddings.transformer.fine_tuning.tuning_command.training_options import (
    add_training,
    checkpoint_of,
    configuration,
    find_start,
    opened,
    say,
    share,
    within_memory,
)
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from sts.errors import DataError, StsError
from sts.extras import require
from sts.files import check_writable

if TYPE_CHECKING:
    from embeddings.pretraining.masked_language_model.masked_texts import MaskedTexts, Vocabulary
    from embeddings.transformer.transformer_encoder import Transformer
    from sts.scoring.bootstrap import Difference

USUAL = FineTuning(epochs=1, learning_rate=5e-5, frozen=None)

MASKS = ("[MASK]", "<mask>")
"""What the mask is called where ``tokenizer_config.json`` does not say."""

FEWEST = 100
"""Tokens that can be hidden, of what is learned from and of what is held out."""

CURVE = 200
"""Held-out texts that the curve is drawn from, at most."""

EXAMPLES = """\
examples:
  python -m embeddings adapt reports.txt letters.txt.gz -o adapted --curve curve
  python -m embeddings adapt reports.txt -o adapted --from FOLDER --frozen 6 --tokens 128

then:
  python -m embeddings tune pairs.tsv -o tuned --from adapted

A line of TEXT is a text: a sentence or a paragraph; one that is longer than the network reads is
read in pieces. Equal lines are read once. Of the tokens 15 % are hidden, and the network learns to
name them. A tenth of the lines is held out, to say how well it does before and after. The folder
that is written opens in sentence-transformers, and in transformers with its output layer. The same
command goes on after a stop.
"""


def add_adapt(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    add = parser.add_argument
    add("files", nargs="+", metavar="TEXT", help="a text a line, may be .gz; - is stdin")
    add_training(parser, USUAL, "texts")
    add("--held-out", type=share, default=0.1, metavar="SHARE",
        help="of the lines, to compare on (default: 0.1)")  # fmt: skip
    add("--curve", type=Path, metavar="PREFIX",
        help="write loss and held-out loss as .csv and .png")  # fmt: skip
    parser.set_defaults(run=adapt)


def adapt(options: argparse.Namespace) -> None:
    """Train, write the folder, and print the loss on held-out text before and after."""
    from embeddings.pretraining.masked_language_model.masked_texts import MaskedTexts
    from embeddings.pretraining.masked_language_model.masked_training import (
        MaskedModel,
        train_masked,
    )
    from embeddings.pretraining.masked_language_model.output_layer import output_layer
    from embeddings.training.checkpoint import digest
    from embeddings.transformer.fine_tuning.transformer_folder import check_free, save_transformer

    if options.curve:
        require("matplotlib")
    check_writable(options.output.absolute().parent)
    check_free(options.output, overwrite=options.overwrite)
    learned_lines, held_out = _texts(options)
    source = find_start(options.start)
    start, how = opened(source, options), configuration(options, USUAL)
    vocabulary = vocabulary_of(source, start)
    learned, compared = (
        MaskedTexts.of(start, texts, vocabulary, how) for texts in (learned_lines, held_out)
    )
    for part, what in ((learned, "to learn from"), (compared, "held out")):
        _check_enough(options, part, what)
    say(f"{len(learned_lines):,} lines to learn from, {len(held_out):,} held out")
    few = MaskedTexts.of(start, held_out[:CURVE], vocabulary, how)
    before = MaskedModel(start, output_layer(source, start))
    with within_memory(how):
        made = train_masked(
            start, before.output, learned, how,
            label="training", checkpoint=checkpoint_of(options), curve=options.curve,
            evaluate=(lambda model: mean_loss(model.losses(few))) if options.curve else None,
        )  # fmt: skip
    recipe = how.as_dict() | {"start": start.digest, "texts": digest(learned_lines)}
    output = made.output.tensors()
    save_transformer(options.output, made.network, source, output, recipe=json.dumps(recipe))
    say(f"written to {options.output}")
    print(report(before.losses(compared), made.losses(compared), options.seed))
    if before.output.new:
        print("the output layer is new: before, it knew nothing of the language")
    print(f"by how frequent each token is alone: {frequency_loss(learned, compared):.4f}")


def _texts(options: argparse.Namespace) -> tuple[list[str], list[str]]:
    """The distinct lines to learn from, and those to compare on, both in the order of the files."""
    found = (line.strip() for file in options.files for line in lines(file))
    texts = [text for text in dict.fromkeys(found) if text]
    if len(texts) < 2:
        raise DataError(
            f"{', '.join(options.files)}: {len(texts)} distinct lines with text; expected many, "
            "a sentence or a paragraph each"
        )
    count = max(1, round(options.held_out * len(texts)))
    chosen = np.random.default_rng(options.seed).permutation(len(texts))[:count]
    held_out = np.isin(np.arange(len(texts)), chosen)
    return (
        [text for text, out in zip(texts, held_out, strict=True) if not out],
        [text for text, out in zip(texts, held_out, strict=True) if out],
    )


def vocabulary_of(source: Path, network: Transformer) -> Vocabulary:
    """The mask of a network's tokenizer, and the tokens that are no marks.

    Raises:
        DataError: it has no mask.
    """
    from embeddings.pretraining.masked_language_model.masked_texts import Vocabulary
    from embeddings.transformer.fine_tuning.transformer_folder import source_files

    named: Any = json.loads(source_files(source).get("tokenizer_config.json", b"{}"))
    named = named.get("mask_token")
    named = named.get("content") if isinstance(named, dict) else named
    known = network.tokenizer.get_vocab()
    mask = next((known[name] for name in (named, *MASKS) if name in known), None)
    if mask is None:
        raise DataError(
            f"{source}: its tokenizer has no mask, such as {MASKS[0]}; "
            "expected a model of masked language modelling: a BERT, RoBERTa or XLM-R"
        )
    added = network.tokenizer.get_added_tokens_decoder().items()
    marks = {mask, *(number for number, token in added if token.special)}
    words = sorted(set(known.values()) - marks)
    return Vocabulary(mask, np.array(words, np.int32))


def _check_enough(options: argparse.Namespace, texts: MaskedTexts, what: str) -> None:
    there = int(texts.free.sum())
    if there < FEWEST:
        raise StsError(
            f"{', '.join(options.files)}: {there:,} tokens {what}; expected {FEWEST} or more: "
            "give more text, or a larger --held-out"
        )


def mean_loss(losses: NDArray[np.float64]) -> float:
    """The mean loss of a hidden token, from (n, 2) sums and counts of texts."""
    total, count = losses.sum(axis=0)
    return float(total / count)


def frequency_loss(learned: MaskedTexts, compared: MaskedTexts) -> float:
    """The mean loss of a token of one text by the frequencies of another, each one higher.

    It is what a model comes to that sees no neighbours.
    """
    counts = 1 + np.bincount(learned.words, minlength=learned.vocabulary.words.max() + 1)
    chances = counts / counts[learned.vocabulary.words].sum()
    return float(-np.log(chances[compared.words]).mean())


def report(before: NDArray[np.float64], after: NDArray[np.float64], seed: int) -> str:
    """What the loss on held-out text was and is, and what may be claimed.

    Args:
        before, after: as :func:`mean_loss` takes them, of the same texts.
        seed: of the bootstrap over texts.
    """
    from sts.scoring.bootstrap import resample_clusters

    def measure(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        return np.array([[mean_loss(losses[rows])] for losses in (after, before)])

    found: Difference = (
        resample_clusters(measure, np.arange(len(before)), seed=seed).metric(0).difference(0, 1)
    )
    verdict = "no gain is claimed: the interval contains 0"
    if found.real:
        verdict = "a gain" if found.value < 0 else "training did harm"
    return (
        f"loss of {before[:, 1].sum():,.0f} hidden tokens in {len(before):,} held-out texts: "
        f"{found.b:.4f} before, {found.a:.4f} after, "
        f"{found.value:+.4f} (95 %: {found.low:+.4f} to {found.high:+.4f})\n{verdict}"
    )
