"""A transformer whose upper layers let each sentence of a pair look at the other, and its training.

The lower layers read each sentence alone. In the layers that are trained, a token attends to the
tokens of the other sentence too, and to the score of each of them a learned number is added, a gate
of that head. Where gates are low, the network is the sentence encoder that it was; training starts
near there. A second gate is for the same token, which shows a word its partner from the beginning.
The head compares the mean states of both sides, and starts as their cosine. So little has to be
learned from few pairs, where a network that is given both sentences end to end has to learn anew
what it looks at.

Sentences that meet only in the upper layers: MacAvaney et al. (2020), Cao et al. (2020). A gate for
what is new, so that training starts from what the network knows: Alayrac et al. (2022).

Both sides are read alike, one as the first and one as the last of an alphabet would have it: a score
does not depend on which one is the left one, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Unpack

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import threads
from embeddings.training.checkpoint import digest
from embeddings.training.loop import Options, train_encoder
from embeddings.training.losses.labelled_pairs import correlation
from embeddings.training.trainable import Batch, Trainable
from embeddings.transformer.compiled_forward import pack, states_after
from embeddings.transformer.fine_tuning.lower_layers import TEXTS_AT_ONCE, LowerLayers, Rows, Tokens
from embeddings.transformer.fine_tuning.pair_batches import PairBatches, check_pairs, repeat
from embeddings.transformer.fine_tuning.trained_vectors import HEAD, NETWORK
from embeddings.transformer.fine_tuning.tuning_configuration import CrossAttentionTuning
from embeddings.transformer.fine_tuning.upper_layers import run_upper, upper_weights, with_trained
from embeddings.transformer.network import Dropout
from embeddings.transformer.shape import Gates, Shape
from embeddings.transformer.transformer_encoder import Transformer
from sts.errors import StsError
from sts.progress import bar

Head = Mapping[str, Any]
"""``gates``, and ``same`` if equal tokens have some, (trained layers, heads); of the comparison:
``dense`` (dim, 2 · dim) with its ``bias`` and ``out`` (dim,), ``slope`` of the cosine, and ``level``."""

SLOPE = 6.0
"""Of the cosine at first: .1 more is what .5 against .65 is to a logistic."""

PAIRS_SEEN = 200
"""By which the level is set before training."""


class CrossAttention:
    """A transformer with gates and a head.

    Attributes:
        network: as trained.
        head: its arrays, float32.
        graded: a score is the head's number as it is, cut to 0 and 1, as that of a cosine would be;
            else its logistic, the chance of a label.
    """

    def __init__(self, network: Transformer, head: Head, graded: bool = False) -> None:
        self.network, self.graded = network, graded
        self.head = {name: np.asarray(value, np.float32) for name, value in head.items()}

    def predict(
        self, left: Sequence[str], right: Sequence[str], *, label: str = "scoring"
    ) -> NDArray[np.float64]:
        """How alike the sentences of each pair are, (n,) from 0 to 1; the same with sides exchanged.

        Threads share the work.
        """
        texts, _ = side_by_side(left, right), self._packed  # made before threads use it
        work = partial(self.numbers, Tokens.of(self.network, texts))
        places = range(0, len(texts), TEXTS_AT_ONCE)
        rows = [np.arange(begin, min(len(texts), begin + TEXTS_AT_ONCE)) for begin in places]
        found = [np.empty(0, np.float32)]
        with (
            bar(total=len(left), desc=label, unit=" pairs") as shown,
            ThreadPoolExecutor(threads()) as pool,
        ):
            for part in pool.map(work, rows):
                found.append(part)
                shown.update(len(part))
        numbers = np.concatenate(found).astype(np.float64)
        if not np.isfinite(numbers).all():
            raise StsError(f"{label}: a score is no finite number; the weights are damaged")
        return np.clip(numbers, 0, 1) if self.graded else 1 / (1 + np.exp(-numbers))

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides a score."""
        return digest([self.network.digest, sorted(self.head.items()), self.graded])

    @cached_property
    def _packed(self) -> Any:
        return pack(self.network.weights, self.network.shape)

    @np.errstate(all="ignore")  # what is not finite is refused where all are together
    def numbers(self, tokens: Tokens, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """The head's numbers (k,) of k pairs, whose 2k sentences these are."""
        shape, (ids, _) = self.network.shape, tokens.of_texts(rows)
        states = states_after(self._packed, shape, ids, [shape.layers], gates=gates_of(self.head))[
            0
        ]
        ends = np.cumsum([len(own) for own in ids])
        read = (states[end - len(own) : end] for own, end in zip(ids, ends, strict=True))
        means = np.stack([own.mean(axis=0) for own in read])
        unit = means / np.sqrt((means * means).sum(axis=1, keepdims=True))
        cosines, compared = compare(np, unit)
        # A pair alone: its bits do not depend on what else is scored.
        inner = np.stack([self.head["dense"] @ one for one in compared])
        inner = np.tanh(inner + self.head["bias"])
        said = (inner * self.head["out"]).sum(axis=1) + self.head["slope"] * cosines
        found: NDArray[np.float32] = said + self.head["level"]
        return found


def gates_of(head: Head) -> Gates:
    """The gates of a head; those of equal tokens are 0 if it has none."""
    return Gates(head["gates"], head.get("same", 0 * head["gates"]))


def compare(numpy: Any, unit: Any) -> tuple[Any, Any]:
    """Cosines (k,), and what else is known (k, 2 · dim), of the sides of k pairs.

    Args:
        numpy: the library of the arrays, NumPy or that of JAX.
        unit: (2k, dim) of length 1, a left side before each right side.
    """
    a, b, dim = unit[0::2], unit[1::2], unit.shape[1]
    compared = numpy.concatenate([dim**0.5 * numpy.abs(a - b), dim * a * b], axis=1)
    return (a * b).sum(axis=1), compared


def side_by_side(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """(2n) both sides of each pair, the same list whichever sentence is the left one."""
    return [side for pair in zip(left, right, strict=True) for side in sorted(pair)]


@dataclass(frozen=True, eq=False)
class SidesTogether(PairBatches):
    """Batches of pairs whose two sides stand next to each other in a row."""

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """The batch of a round: texts as :meth:`LowerLayers.batch` gives them, a key, the gold.

        A batch of fewer pairs repeats its first ones.
        """
        pairs = self.order(epoch)[number]
        drawn = np.array([self.how.seed, epoch << 20 | number], np.uint32)
        texts = repeat(self.lower.batch(self.own[pairs].ravel(), together=2), 2 * self.how.batch)
        yield Batch(extra=(texts, drawn, np.resize(self.gold[pairs], self.how.batch)))


@dataclass(frozen=True)
class CrossAttentionLoss:
    """How far the head's numbers are from the gold, which goes from 0 to 1.

    Attributes:
        shape, frozen, dropout: of the network, and how it is trained.
        graded: 1 − Pearson's correlation of a batch; else the cross-entropy of the logistics.
    """

    shape: Shape
    frozen: int | None
    dropout: float
    graded: bool = False

    def __call__(
        self, parameters: Mapping[str, Any], texts: Rows, drawn: Any, gold: Any
    ) -> jax.Array:
        """A number, from the arrays of :meth:`SidesTogether.batches`."""
        dropout = Dropout(drawn, self.dropout) if self.dropout else None
        weights, head = parameters[NETWORK], parameters[HEAD]
        last = run_upper(weights, self.shape, self.frozen, texts, dropout, gates_of(head))[-1]
        with jax.numpy_rank_promotion("allow"):
            states = last.reshape(-1, last.shape[-1])[texts.places]
            totals = (states * texts.mask[..., None]).sum(axis=1)
            unit = totals / jnp.sqrt((totals * totals).sum(axis=1, keepdims=True))
            cosines, compared = compare(jnp, unit)
            inner = jnp.tanh(compared @ head["dense"].T + head["bias"])
            inner = dropout(inner, 3 * self.shape.layers) if dropout else inner
            z = inner @ head["out"] + head["slope"] * cosines + head["level"]
            if self.graded:
                return 1 - correlation(z, gold)
            return jnp.mean(jnp.logaddexp(0.0, -z) * gold + jnp.logaddexp(0.0, z) * (1 - gold))


def initial_head(start: Transformer, how: CrossAttentionTuning) -> dict[str, Any]:
    """A head whose number is the cosine of the mean states of both sides.

    Args:
        start: the network before training.
        how: the gates, and the layers that have some.
    """
    rng, dim = np.random.default_rng(how.seed), start.width
    gated = (start.shape.layers - (how.frozen or 0), start.shape.heads)
    same = {} if how.same is None else {"same": np.full(gated, how.same, np.float32)}
    return same | {
        "gates": np.full(gated, how.gate, np.float32),
        "dense": rng.normal(0, 0.02, (dim, 2 * dim)).astype(np.float32),
        "bias": np.zeros(dim, np.float32),
        "out": np.zeros(dim, np.float32),
        "slope": np.float32(1),
        "level": np.float32(0),
    }


def logistic_head(
    start: Transformer, how: CrossAttentionTuning, tokens: Tokens, gold: NDArray[np.float64]
) -> dict[str, Any]:
    """The same in steps of :data:`SLOPE`, and with the mean of the gold at the mean cosine.

    Args:
        start, how: as :func:`initial_head` takes them.
        tokens: of the 2n sentences of :func:`side_by_side`.
        gold: (n,) from 0 to 1.
    """
    head = initial_head(start, how) | {"slope": np.float32(SLOPE)}
    few = np.arange(min(2 * PAIRS_SEEN, len(tokens.lengths)))
    mean, share = CrossAttention(start, head).numbers(tokens, few).mean(), gold.mean()
    return head | {"level": np.float32(np.log(share / (1 - share)) - mean)}


def train_cross_attention(
    start: Transformer,
    left: Sequence[str],
    right: Sequence[str],
    gold: NDArray[np.float64],
    how: CrossAttentionTuning,
    *,
    sets: NDArray[np.int64] | None = None,
    **options: Unpack[Options[CrossAttention]],
) -> CrossAttention:
    """A network whose scores follow the gold of pairs, trained to read both sentences together.

    Args:
        start: the network that training starts from.
        left, right, gold: of n pairs; the gold goes from 0 to 1.
        how: schedule, how much of the network is trained, and the gates at first.
        sets: (n,) the data set of each pair, whose gold is graded. A batch is then of one data set,
            and the loss is 1 − Pearson's correlation in it; without, it is the cross-entropy.
        **options: see :class:`~embeddings.training.loop.Options`.

    Raises:
        StsError: fewer than two pairs, gold of one value, or as :func:`embeddings.training.loop.run`.
    """
    check_pairs(options.setdefault("label", "training"), gold)
    texts = side_by_side(left, right)
    own = np.arange(len(texts)).reshape(-1, 2)
    tokens = Tokens.of(start, texts)
    lower = LowerLayers(start.weights, start.shape, tokens, how.frozen)
    graded = sets is not None
    loss = CrossAttentionLoss(start.shape, how.frozen, how.dropout, graded)
    head = initial_head(start, how) if graded else logistic_head(start, how, tokens, gold)
    parts = {NETWORK: upper_weights(start.weights, how.frozen), HEAD: head}
    model = Trainable(parts, loss, how.optimizer())
    data = SidesTogether(lower, own, np.arange(len(own)), gold.astype(np.float32), how, sets)

    def current() -> CrossAttention:
        network = with_trained(start, model.dense[NETWORK])
        return CrossAttention(network, model.dense[HEAD], graded)

    identity = {"start": start.digest, "pairs": [texts, gold, sets], "loss": repr(loss)}
    return train_encoder(model, data, how, current, identity, **options)
