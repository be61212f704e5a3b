"""The one training loop: epochs, batches, optax, checkpoints.

Only the rows of words that occur in the training pairs take part. For every
other row the gradient of eq. 2 is exactly zero, so leaving it out changes
nothing and makes the cost of a step follow the data and not the vocabulary.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import optax
from safetensors import SafetensorError
from safetensors.numpy import load, save
from tqdm import tqdm

from embeddings.encoders import Encoder, Vectors, average
from embeddings.negatives import blocks, hardest_in_batch, random_other
from embeddings.objectives import paragram_margin, pull_to_start
from embeddings.vocabulary import pad
from sts.errors import StsError
from sts.files import sha256_of_bytes, write_bytes

SentencePair = tuple[str, str]


@dataclass(frozen=True)
class Training:
    """How an encoder is trained. The defaults are the paper's (§3.6).

    Attributes:
        epochs: passes over the pairs.
        batch: pairs a step.
        margin: δ of eq. 2.
        pull: λ of eq. 2, towards the starting vectors.
        negatives: ``random`` (drawn again each epoch) or ``hardest`` in the batch.
        optimizer: ``adadelta`` or ``adam``; learning_rate is that of the optimizer.
        seed: of shuffling and of random negatives.
    """

    epochs: int = 10
    batch: int = 100
    margin: float = 0.8
    pull: float = 1e-5
    negatives: Literal["random", "hardest"] = "random"
    optimizer: Literal["adadelta", "adam"] = "adadelta"
    learning_rate: float = 1.0
    seed: int = 0


def train(
    encoder: Encoder,
    pairs: Sequence[SentencePair],
    how: Training,
    *,
    sizes: Sequence[int] = (),
    checkpoint: Path | None = None,
    after_epoch: Callable[[int, Encoder], None] | None = None,
    label: str = "training",
) -> Encoder:
    """A new encoder whose table is tuned so that both sides of each pair come close.

    Args:
        encoder: where training starts from, and what λ pulls towards.
        pairs: sentences that mean the same.
        how: objective and schedule.
        sizes: how many pairs in a row come from one data set. Random negatives are
            then drawn from the pair's own: a sentence on another topic is too easy
            to tell apart to teach anything. By default all pairs are one data set.
        checkpoint: file that is written after every epoch and resumed from if it
            belongs to the same pairs, start and schedule; removed at the end.
        after_epoch: called with the number of epochs done and the encoder so far.
        label: of the progress bar.

    Raises:
        StsError: fewer than two pairs, no word in any of them, a file that is no
            checkpoint, or a loss that is not finite.
    """
    if len(pairs) < 2:
        raise StsError(f"{label}: {len(pairs)} training pairs; at least two are needed")
    sides = [[encoder.vocabulary.ids(pair[side]) for pair in pairs] for side in (0, 1)]
    active = np.unique([row for side in sides for ids in side for row in ids])
    if not len(active):
        raise StsError(f"{label}: no training pair holds a word")
    local = [[np.searchsorted(active, ids) for ids in side] for side in sides]
    sizes = sizes or (len(pairs),)
    loop = _Loop(encoder.table[active], local, how, sizes)
    fingerprint = _fingerprint(encoder, pairs, how, sizes)
    first = loop.restore(checkpoint, fingerprint) if checkpoint else 0
    with tqdm(total=how.epochs, initial=first, desc=label, unit="epoch", leave=False) as bar:
        for epoch in range(first, how.epochs):
            loss = loop.epoch(epoch)
            if not np.isfinite(loss):
                raise StsError(f"{label}: the loss is {loss} in epoch {epoch + 1}; lower the rate")
            bar.set_postfix(loss=f"{loss:.4f}")
            bar.update()
            if checkpoint:
                loop.save(checkpoint, fingerprint, epoch + 1)
            if after_epoch:
                after_epoch(epoch + 1, _replace_rows(encoder, active, loop.rows()))
    if checkpoint:
        checkpoint.unlink(missing_ok=True)
    return _replace_rows(encoder, active, loop.rows())


class _Loop:
    """Parameters, optimizer state and the compiled step of one training."""

    def __init__(
        self, table: Vectors, sides: list[list[Any]], how: Training, sizes: Sequence[int]
    ) -> None:
        self.how = how
        self.sides = sides
        self.size, self.first = blocks(sizes)
        self.start = jnp.asarray(table)
        self.params = jnp.array(table)  # a copy of its own: the step gives its buffer away
        self.optimizer = _optimizer(how)
        self.state = self.optimizer.init(self.params)
        self.step = _compile_step(self.optimizer, how)

    def epoch(self, number: int) -> float:
        """One pass; the order and the negatives depend on the seed and the epoch alone."""
        rng = np.random.default_rng([self.how.seed, number])
        total = len(self.sides[0])
        order = rng.permutation(total)
        losses = []
        for begin in range(0, total, self.how.batch):
            batch = order[begin : begin + self.how.batch]
            if len(batch) < 2 and self.how.negatives == "hardest":
                continue  # a pair alone has no negative in its batch
            inputs = self._batch(rng, batch)
            self.params, self.state, loss = self.step(self.params, self.state, self.start, *inputs)
            losses.append(loss)
        return float(np.mean(jax.device_get(losses)))

    def _batch(self, rng: np.random.Generator, batch: Any) -> list[Any]:
        """Padded ids and masks of both sides and, if they are random, of their negatives."""
        chosen = [[side[i] for i in batch] for side in self.sides]
        if self.how.negatives == "random":
            for _ in range(2):
                others = random_other(rng, batch, self.size[batch], self.first[batch])
                which = rng.integers(2, size=len(batch))
                chosen.append([self.sides[s][i] for s, i in zip(which, others, strict=True)])
        return [pad(sequences) for sequences in chosen]

    def rows(self) -> Vectors:
        return np.asarray(self.params)

    def save(self, path: Path, fingerprint: str, epochs: int) -> None:
        leaves = jax.tree.leaves((self.params, self.state))
        tensors = {f"{i:04d}": np.asarray(leaf) for i, leaf in enumerate(leaves)}
        metadata = {"fingerprint": fingerprint, "epochs": str(epochs)}
        write_bytes(path, save(tensors, metadata))

    def restore(self, path: Path, fingerprint: str) -> int:
        """Epochs already done: 0 if there is no checkpoint of this very training."""
        if not path.exists():
            return 0
        structure: Any = jax.tree.structure((self.params, self.state))
        try:
            raw = path.read_bytes()
            tensors = load(raw)
            header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])["__metadata__"]
            done = int(header["epochs"])
            if header["fingerprint"] != fingerprint or done > self.how.epochs:
                return 0
            leaves = [jnp.asarray(tensors[f"{i:04d}"]) for i in range(structure.num_leaves)]
        except (OSError, SafetensorError, ValueError, KeyError) as error:
            raise StsError(
                f"{path}: not a whole checkpoint ({error}); move it away to start again"
            ) from None
        self.params, self.state = jax.tree.unflatten(structure, leaves)
        return done


def _optimizer(how: Training) -> Any:
    if how.optimizer == "adadelta":
        return optax.adadelta(how.learning_rate, rho=0.95, eps=1e-6)  # Zeiler (2012), §4.1
    return optax.adam(how.learning_rate)


def _compile_step(optimizer: Any, how: Training) -> Any:
    def loss_of(params: Any, start: Any, left: Any, right: Any, *negatives: Any) -> Any:
        x1, x2 = average(params, *left), average(params, *right)
        if negatives:
            t1, t2 = (average(params, *negative) for negative in negatives)
        else:
            t1, t2 = hardest_in_batch(x1, x2), hardest_in_batch(x2, x1)
        loss = paragram_margin(x1, x2, t1, t2, margin=how.margin)
        return loss + pull_to_start(params, start, weight=how.pull) if how.pull else loss

    @partial(jax.jit, donate_argnums=(0, 1))
    def step(params: Any, state: Any, start: Any, *inputs: Any) -> Any:
        loss, gradient = jax.value_and_grad(loss_of)(params, start, *inputs)
        updates, state = optimizer.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, loss

    return step


def _replace_rows(encoder: Encoder, rows: Any, values: Vectors) -> Encoder:
    table = encoder.table.copy()
    table[rows] = values
    return Encoder(encoder.vocabulary, table)


def _fingerprint(
    encoder: Encoder, pairs: Sequence[SentencePair], how: Training, sizes: Sequence[int]
) -> str:
    """What a checkpoint must agree on to be resumed; more epochs may be asked for later."""
    schedule = {key: value for key, value in asdict(how).items() if key != "epochs"}
    parts = json.dumps([schedule, list(sizes), list(pairs)]).encode() + encoder.table.tobytes()
    return sha256_of_bytes(parts)
