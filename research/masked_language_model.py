"""Train a transformer on raw text by masked language modelling (Devlin et al., 2019, 3.1).

    python -m research.masked_language_model reports.txt letters.txt.gz -o adapted --start FOLDER
    semaniacs tune pairs.tsv -o tuned --model adapted

A line is a text; a long one is read in pieces. Of 15 % of the tokens, 80 % become the mask, 10 % a
random token, and 10 % stay as they are, drawn anew for every batch of every epoch (Liu et al., 2019,
4.1). The network learns to name them, through a new output layer over its word embeddings. A tenth
of the lines is held out to report the loss. The same command goes on after a stop.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from research.study import run_study
from semaniacs.embeddings.configuration import FineTuning
from semaniacs.embeddings.formats.lines import lines
from semaniacs.embeddings.training.trainable import Batch, Trainable
from semaniacs.embeddings.transformer.bert_folder import load_bert
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Tokens
from semaniacs.embeddings.transformer.fine_tuning.transformer_folder import save_transformer
from semaniacs.embeddings.transformer.fine_tuning.upper_layers import (
    HEAD,
    NETWORK,
    run_upper,
    train_network,
    upper_weights,
)
from semaniacs.embeddings.transformer.network import (
    ACTIVATIONS,
    Dropout,
    Weights,
    dense,
    layer_norm,
)
from semaniacs.embeddings.transformer.plain_forward import Shape
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.command_line import COUNT, POSITIVE, option, output_option, seed_option
from semaniacs.sts.errors import DataError

HIDDEN, MASKED, RANDOM = 0.15, 0.8, 0.1
"""Share of the tokens to name; of these, the shares of masks and of random tokens."""

WORDS = "embeddings.word_embeddings.weight"


@dataclass(frozen=True)
class MaskedTexts:
    """Batches of texts, some of whose tokens are hidden.

    Attributes:
        lower: all texts.
        free: (all tokens,) whether a token may be hidden: marks such as [CLS] may not.
        mask, words: number of the mask, and numbers of the tokens that a text may hold.
        how: batch and seed.
    """

    lower: LowerLayers
    free: NDArray[np.bool_]
    mask: int
    words: NDArray[np.int32]
    how: FineTuning

    @classmethod
    def of(
        cls, network: Transformer, texts: Sequence[str], how: FineTuning, mask_token: str
    ) -> MaskedTexts:
        """Read texts as a network does; those without a token that may be hidden are left out."""
        known = network.tokenizer.get_vocab()
        if mask_token not in known:
            raise DataError(f"the tokenizer has no {mask_token}; name its mask with --mask")
        mask = known[mask_token]
        added = network.tokenizer.get_added_tokens_decoder().items()
        marks = {mask, *(number for number, token in added if token.special)}
        words, ids, free = set(known.values()) - marks, [], []
        for piece in network.read_tokens(texts, pieces=True):
            own = zip(piece.ids, piece.special_tokens_mask, strict=True)
            may = np.array([token in words and not mark for token, mark in own], bool)
            if may.any():
                ids.append(np.array(piece.ids, np.int32))
                free.append(may)
        flat = np.concatenate([np.empty(0, np.int32), *ids])
        tokens = Tokens(flat, np.zeros_like(flat), np.cumsum([0, *map(len, ids)]))
        lower = LowerLayers(network, tokens, None)
        listed = np.array(sorted(words), np.int32)
        return cls(lower, np.concatenate([np.empty(0, bool), *free]), mask, listed, how)

    def __len__(self) -> int:
        return len(self.lower.tokens.lengths)

    def rounds(self, epoch: int) -> int:
        """Return the number of batches in an epoch."""
        return -(-len(self) // self.how.batch)

    def batches(self, epoch: int, number: int, model: Trainable | None) -> Iterator[Batch]:
        """Yield the batch of a round; it depends on seed, epoch and round alone.

        It has the texts in rows, the places (k,) and tokens (k,) that are hidden, where token −1 is
        none, and a key for dropout.
        """
        order = np.random.default_rng([self.how.seed, epoch]).permutation(len(self))
        chosen = order[number * self.how.batch : (number + 1) * self.how.batch]
        rng = np.random.default_rng([self.how.seed, epoch, number])
        rows = self.lower.batch(chosen)
        there = rows.mask > 0
        source = (self.lower.tokens.starts[chosen][:, None] + np.arange(there.shape[1]))[there]
        candidates = rows.places[there][self.free[source]]
        count = max(1, round(HIDDEN * len(candidates)))
        found = np.sort(rng.choice(candidates, count, replace=False))
        ids = rows.tokens.reshape(-1).copy()
        most = math.ceil(HIDDEN * rows.tokens.size)
        places, tokens = np.zeros(most, np.int32), np.full(most, -1, np.int32)
        places[:count], tokens[:count] = found, ids[found]
        fate = rng.random(count)
        drawn = np.where(fate < MASKED + RANDOM, rng.choice(self.words, count), ids[found])
        ids[found] = np.where(fate < MASKED, np.int32(self.mask), drawn)
        texts = rows._replace(tokens=ids.reshape(rows.tokens.shape), places=(), mask=())
        key = np.array([self.how.seed, epoch << 20 | number], np.uint32)
        yield Batch(extra=(texts, places, tokens, key))


@dataclass(frozen=True)
class MaskedLoss:
    """Mean cross-entropy of the hidden tokens of a batch."""

    shape: Shape
    dropout: float = 0.0

    def __call__(
        self, parameters: Mapping[str, Weights], texts: Any, places: Any, tokens: Any, drawn: Any
    ) -> jax.Array:
        """Return one number, from the arrays of :meth:`MaskedTexts.batches`."""
        weights, output = parameters[NETWORK], parameters[HEAD]
        dropout = Dropout(drawn, self.dropout) if self.dropout else None
        states = run_upper(weights, self.shape, None, texts, dropout)[-1]
        chosen = states.reshape(-1, states.shape[-1])[places]
        with jax.numpy_rank_promotion("allow"):
            inner = ACTIVATIONS[self.shape.activation](dense(output, "dense", chosen))
            normed = layer_norm(output, "norm", inner, self.shape.epsilon)
            logits = normed @ weights[WORDS].T + output["bias"]
        right = jnp.maximum(tokens, 0)[:, None]
        chances = jnp.take_along_axis(jax.nn.log_softmax(logits), right, axis=1)[:, 0]
        return -jnp.sum(jnp.where(tokens >= 0, chances, 0.0)) / jnp.sum(tokens >= 0)


def new_output_layer(network: Transformer) -> Weights:
    """Return weights from a state to the vocabulary: the identity, a norm and no bias."""
    rows, width = network.weights[WORDS].shape
    return {
        "dense.weight": np.eye(width, dtype=np.float32),
        "dense.bias": np.zeros(width, np.float32),
        "norm.weight": np.ones(width, np.float32),
        "norm.bias": np.zeros(width, np.float32),
        "bias": np.zeros(rows, np.float32),
    }


def held_out_loss(
    network: Transformer, parameters: Mapping[str, Any], held_out: MaskedTexts
) -> float:
    """Return the loss per hidden token of held-out texts."""
    loss = jax.jit(MaskedLoss(network.shape))
    batches = [b for number in range(held_out.rounds(0)) for b in held_out.batches(0, number, None)]
    losses = [float(loss(parameters, *batch.extra)) for batch in batches]
    return float(np.average(losses, weights=[(b.extra[2] >= 0).sum() for b in batches]))


@click.command("masked_language_model")
@click.argument("files", nargs=-1, required=True)
@output_option(required=True, help="Folder to write.")
@option("--start", type=click.Path(path_type=Path), required=True, help="BERT to start from.")
@option("--mask", default="[MASK]", help="Mask of the tokenizer; RoBERTa's is <mask>.")
@option("--epochs", type=COUNT, default=1, help="Passes over the texts.")
@option("--batch", type=COUNT, default=32, help="Texts per step.")
@option("--learning-rate", type=POSITIVE, default=5e-5, help="Highest learning rate.")
@seed_option()
def masked_language_model(
    files: tuple[str, ...], output: Path, start: Path, mask: str, **schedule: Any
) -> None:
    """Train on the lines of FILES, write the network and print the loss on held-out lines."""
    how = replace(FineTuning(frozen=None), **schedule)
    found = (line.strip() for file in files for line in lines(file))
    texts = [text for text in dict.fromkeys(found) if text]
    order = np.random.default_rng(how.seed).permutation(len(texts))
    cut = max(1, len(texts) // 10)
    network = load_bert(start)
    held_out, learned = (
        MaskedTexts.of(network, [texts[i] for i in np.sort(part)], how, mask)
        for part in (order[:cut], order[cut:])
    )
    checkpoint = output.with_name(f"{output.name}.checkpoint.safetensors")
    loss = MaskedLoss(network.shape, how.dropout)
    parameters = {NETWORK: upper_weights(network.weights, None), HEAD: new_output_layer(network)}
    parts = {"texts": [learned.lower.tokens.ids, learned.lower.tokens.starts]}
    options = {"checkpoint": checkpoint, "label": "training"}
    made, trained = train_network(learned, loss, parameters, lambda *both: both, parts, options)  # type: ignore[arg-type]
    save_transformer(output, made, start, recipe=json.dumps(how.as_dict()))
    lost = held_out_loss(made, trained, held_out)
    print(f"loss per hidden token of held-out text: {lost:.4f}")


if __name__ == "__main__":
    run_study(masked_language_model)
