"""The one training loop: epochs, batches, optax, checkpoints.

Only the rows of words that occur in the training corpora take part. For every
other row the gradient of eq. 2 is exactly zero, so leaving it out changes
nothing and makes the cost of a step follow the data and not the vocabulary.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from safetensors import SafetensorError
from safetensors.numpy import load, save
from tqdm import tqdm

from embeddings.encoders import Encoder, Vectors, average
from embeddings.negatives import hardest_in_batch, random_segment
from embeddings.objectives import paragram_margin, pull_to_start
from embeddings.schedule import Training
from embeddings.vocabulary import pad
from sts.errors import StsError
from sts.files import sha256_of_bytes, write_bytes

SentencePair = tuple[str, str]


@dataclass(frozen=True)
class Corpus:
    """Pairs from one source.

    Attributes:
        pairs: sentences that mean the same.
        others: further sentences of the source. Random negatives are drawn from
            these and from all sides: a sentence of another source, on another
            topic, is too easy to tell apart to teach anything.
    """

    pairs: Sequence[SentencePair]
    others: Sequence[str] = ()

    @property
    def segments(self) -> list[str]:
        """Every distinct sentence of the source."""
        sides = (side for pair in self.pairs for side in pair)
        return list(dict.fromkeys((*sides, *self.others)))


def train(
    encoder: Encoder,
    corpora: Sequence[Corpus],
    how: Training,
    *,
    checkpoint: Path | None = None,
    after_epoch: Callable[[int, Encoder], None] | None = None,
    label: str = "training",
) -> Encoder:
    """A new encoder whose table is tuned so that both sides of each pair come close.

    Args:
        encoder: where training starts from, and what λ pulls towards.
        corpora: the pairs, source by source.
        how: objective and schedule.
        checkpoint: file that is written after every epoch and resumed from if it
            belongs to the same pairs, start and schedule; removed at the end.
        after_epoch: called with the number of epochs done and the encoder so far.
        label: of the progress bar.

    Raises:
        StsError: fewer than two pairs, no word in any of them, a file that is no
            checkpoint, or a loss that is not finite.
    """
    total = sum(len(corpus.pairs) for corpus in corpora)
    if total < 2:
        raise StsError(f"{label}: {total} training pairs; at least two are needed")
    material = _Material.of(corpora, encoder)
    if material.wordless:
        raise StsError(f"{label}: no training pair holds a word")
    if how.negatives == "random" and material.lonely:
        raise StsError(f"{label}: no sentence outside the pair to draw as a negative")
    loop = _Loop(encoder.table[material.active], material, how)
    fingerprint = _fingerprint(encoder, corpora, how)
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
                after_epoch(epoch + 1, _replace_rows(encoder, material.active, loop.rows()))
    if checkpoint:
        checkpoint.unlink(missing_ok=True)
    return _replace_rows(encoder, material.active, loop.rows())


@dataclass(frozen=True)
class _Material:
    """Corpora as numbers.

    Attributes:
        active: (rows,) the rows of the table that occur.
        segments: ids of every segment, counted within ``active``.
        own: (n, 2) the two segments of each pair.
        size, first: (n,) how many segments each pair's source has, and its first one.
    """

    active: Any
    segments: list[Any]
    own: Any
    size: Any
    first: Any

    @classmethod
    def of(cls, corpora: Sequence[Corpus], encoder: Encoder) -> _Material:
        texts: list[str] = []
        own, size, first = [], [], []
        for corpus in corpora:
            begin, segments = len(texts), corpus.segments
            place = {text: begin + i for i, text in enumerate(segments)}
            texts += segments
            own += [(place[left], place[right]) for left, right in corpus.pairs]
            size += [len(segments)] * len(corpus.pairs)
            first += [begin] * len(corpus.pairs)
        ids = [encoder.vocabulary.ids(text) for text in texts]
        active = np.unique([row for segment in ids for row in segment])
        sides = np.array(own, np.int64)
        # A source of one pair and nothing else has no negative of its own: it may use all.
        alone = np.array(size) <= 1 + (sides[:, 0] != sides[:, 1])
        return cls(
            active,
            [np.searchsorted(active, segment) for segment in ids],
            sides,
            np.where(alone, len(texts), size),
            np.where(alone, 0, first),
        )

    @property
    def wordless(self) -> bool:
        """Whether no pair holds a word."""
        return not any(len(self.segments[i]) for i in np.unique(self.own))

    @property
    def lonely(self) -> bool:
        """Whether some pair has no segment to be told apart from."""
        return bool(np.any(self.size <= 1 + (self.own[:, 0] != self.own[:, 1])))


class _Loop:
    """Parameters, optimizer state and the compiled step of one training."""

    def __init__(self, table: Vectors, material: _Material, how: Training) -> None:
        self.how = how
        self.material = material
        self.start = jnp.asarray(table)
        self.params = jnp.array(table)  # a copy of its own: the step gives its buffer away
        self.optimizer = _optimizer(how)
        self.state = self.optimizer.init(self.params)
        self.step = _compile_step(self.optimizer, how)

    def epoch(self, number: int) -> float:
        """One pass; the order and the negatives depend on the seed and the epoch alone."""
        rng = np.random.default_rng([self.how.seed, number])
        order = rng.permutation(len(self.material.own))
        losses = []
        for begin in range(0, len(order), self.how.batch):
            batch = order[begin : begin + self.how.batch]
            if len(batch) < 2 and self.how.negatives == "hardest":
                continue  # a pair alone has no negative in its batch
            inputs = self._batch(rng, batch)
            self.params, self.state, loss = self.step(self.params, self.state, self.start, *inputs)
            losses.append(loss)
        return float(np.mean(jax.device_get(losses)))

    def _batch(self, rng: np.random.Generator, batch: Any) -> list[Any]:
        """Padded ids and masks of both sides and, if they are random, of their negatives."""
        own = self.material.own[batch]
        chosen = [own[:, 0], own[:, 1]]
        if self.how.negatives == "random":
            size, first = self.material.size[batch], self.material.first[batch]
            chosen += [random_segment(rng, own, size, first) for _ in range(2)]
        return [pad([self.material.segments[i] for i in side]) for side in chosen]

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


def _fingerprint(encoder: Encoder, corpora: Sequence[Corpus], how: Training) -> str:
    """What a checkpoint must agree on to be resumed; more epochs may be asked for later."""
    schedule = {key: value for key, value in asdict(how).items() if key != "epochs"}
    texts = [[list(corpus.pairs), list(corpus.others)] for corpus in corpora]
    return sha256_of_bytes(json.dumps([schedule, texts]).encode() + encoder.table.tobytes())
