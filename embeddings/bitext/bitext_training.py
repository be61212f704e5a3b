"""Training on bitext: a hinge loss over translations and their hardest negatives.

    max(0, δ − cos(s, t) + cos(s, t′)) + max(0, δ − cos(s, t) + cos(s′, t))

for a pair (s, t), a negative t′ from the language of t, and s′ from that of s (Wieting et al., 2019,
eq. 1, with a hinge for either side). Negatives are the hardest of a mega-batch that grows during the
training (2, Negative Sampling).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.bitext.bitext_configuration import BitextTraining
from semaniacs.embeddings.bitext.corpus import Bitext
from semaniacs.embeddings.bitext.lstm import RecurrentEncoder, lstm_pool
from semaniacs.embeddings.bitext.multilingual import Multilingual
from semaniacs.embeddings.encoder import Encoder, SentenceEncoder, unit
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.embeddings.training.loop import Options, train_encoder
from semaniacs.embeddings.training.negatives import Indices
from semaniacs.embeddings.training.sentence_model import MEAN, SentenceModel
from semaniacs.embeddings.training.sparse_rows import compact, make_optimizer, replaced
from semaniacs.embeddings.training.trainable import Batch
from semaniacs.sts.errors import StsError

AT_ONCE = 1024  # sentences that are encoded and compared at once

Ids = Callable[[str, Sequence[str]], Ragged]
"""Function from language and sentences to the rows of their words."""

Teacher = Callable[[Sequence[str]], Vectors]
"""Function from sentences to their target vectors (n, dim)."""


def train_on_bitext(
    start: Multilingual,
    bitexts: Sequence[Bitext],
    configuration: BitextTraining,
    *,
    teacher: Teacher | None = None,
    **options: Unpack[Options[Multilingual]],
) -> Multilingual:
    """Train new encoders under which the two sides of each pair are similar.

    ``start`` has encoders that share one table, with the languages of ``bitexts``. The ``teacher`` makes
    the targets of the first sides, if ``configuration.teacher_weight`` is not 0. The options are
    :class:`~semaniacs.embeddings.training.loop.Options`. Raises an StsError for fewer than two pairs or
    two pairs per batch, a teacher of another dimension or none for its weight, or as :func:`.loop.run`.
    """
    label = options.setdefault("label", "training on bitext")
    total = sum(map(len, bitexts))
    if total < 2:
        raise StsError(f"{label}: {total} pairs of sentences; at least two are needed")
    if configuration.batch < 2:
        raise StsError(
            f"{label}: --batch {configuration.batch} leaves a pair without another one to be "
            "told apart from; type --batch 2 or more"
        )
    weight = configuration.teacher_weight
    if weight and teacher is None:
        raise StsError(f"{label}: a weight of {weight} for a teacher, and no teacher")
    targets = _targets(teacher, bitexts, start, label) if weight and teacher else None
    data = BitextData.of(bitexts, lambda code, s: start.of(code).ids(s), configuration, targets)
    first = next(iter(start.encoders.values()))
    model = SentenceModel(
        first.table[data.active],
        make_optimizer("adam"),
        configuration.objective,
        pool=lstm_pool(first.parameters) if isinstance(first, RecurrentEncoder) else MEAN,
        dropout=configuration.dropout,
        seed=configuration.seed,
    )

    def current() -> Multilingual:
        table = replaced(first.table, data.active, model.rows())

        def trained(encoder: SentenceEncoder) -> SentenceEncoder:
            if isinstance(encoder, RecurrentEncoder):
                return RecurrentEncoder(encoder.tokenizer, table, model.pool_parameters)
            return Encoder(encoder.tokenizer, table)

        return start.mapped(trained)

    parts = {
        "start": list(start.encoders.values()),
        "list_of_pairs": [[bitext.languages, list(bitext.pairs)] for bitext in bitexts],
        "teacher": targets,
    }
    return train_encoder(model, data, configuration, current, parts, **options)


def _targets(
    teacher: Teacher, bitexts: Sequence[Bitext], start: Multilingual, label: str
) -> Vectors:
    """Return the teacher's unit vectors (n, dim) of the first sides."""
    vectors = teacher([sentence for bitext in bitexts for sentence in bitext.side(0)])
    dim = start.of(bitexts[0].languages[0]).dim
    if vectors.shape[1] != dim:
        raise StsError(
            f"{label}: the teacher's vectors have {vectors.shape[1]} numbers, these {dim}; "
            f"train with --dim {vectors.shape[1]}"
        )
    return unit(np.asarray(vectors, np.float32))


@dataclass(frozen=True, eq=False)
class BitextData:
    """The pairs of one bitext or several, and the order in which they are trained on.

    Attributes:
        configuration: the schedule.
        active: (rows,) the rows of the table that occur.
        sides: the words of the n sentences of either side, as places within ``active``.
        texts: for either side (n,), equal where two pairs have the same sentence there.
        bounds: (c + 1,) where each bitext begins and ends. A mega-batch is from one bitext.
        targets: (n, dim) the teacher's vectors of the first sides, if there is a teacher.
    """

    configuration: BitextTraining
    active: NDArray[np.int32]
    sides: tuple[Ragged, Ragged]
    texts: tuple[Indices, Indices]
    bounds: Indices
    targets: Vectors | None = None

    @classmethod
    def of(
        cls,
        bitexts: Sequence[Bitext],
        ids: Ids,
        configuration: BitextTraining,
        targets: Vectors | None = None,
    ) -> BitextData:
        """Return the data of some bitexts; ``ids`` tokenizes and looks up."""
        found = [ids(b.languages[side], b.side(side)) for side in (0, 1) for b in bitexts]
        active, words = compact(Ragged.joined(found))
        bounds = np.cumsum([0, *map(len, bitexts)])
        every = np.arange(2 * bounds[-1])
        sides = (words.take(every[: bounds[-1]]), words.take(every[bounds[-1] :]))
        first, second = (_numbered([s for b in bitexts for s in b.side(side)]) for side in (0, 1))
        return cls(configuration, active, sides, (first, second), bounds, targets)

    @property
    def steps_an_epoch(self) -> int:
        """Batches in an epoch; the last one of each bitext may be smaller."""
        return int(np.sum(-(-np.diff(self.bounds) // self.configuration.batch)))

    def rounds(self, epoch: int) -> int:
        """Return the number of mega-batches in an epoch."""
        return len(self.megabatches(epoch))

    @lru_cache(maxsize=2)  # noqa: B019  called often, and the object lives as long as its training
    def megabatches(self, epoch: int) -> list[Indices]:
        """Return the pairs of each mega-batch; it grows by a batch every ``anneal`` steps."""
        rng = np.random.default_rng([self.configuration.seed, epoch])
        rest = [a + rng.permutation(b - a) for a, b in pairwise(self.bounds)]
        done = epoch * self.steps_an_epoch
        rounds = []
        while remaining := sum(map(len, rest)):
            which = rng.choice(len(rest), p=[len(pairs) / remaining for pairs in rest])
            grown = self.configuration.batch * min(
                1 + done // self.configuration.anneal, self.configuration.megabatch
            )
            chosen, rest[which] = np.split(rest[which], [grown])
            rounds.append(chosen)
            done += -(-len(chosen) // self.configuration.batch)
        return rounds

    def batches(self, epoch: int, number: int, model: SentenceModel) -> Iterator[Batch]:
        """Yield the batches of a mega-batch, with negatives from the other language unless the step finds them."""
        pairs = self.megabatches(epoch)[number]
        in_batch = self.configuration.megabatch == 1
        found = None if in_batch else self.negatives(pairs, model)
        rng = np.random.default_rng([self.configuration.seed, epoch, number])
        for begin in range(0, len(pairs), self.configuration.batch):
            part = slice(begin, begin + self.configuration.batch)
            own = pairs[part]
            chosen = [(0, own), (1, own)]
            if found:
                chosen += [(1, found[0][part]), (0, found[1][part])]
            groups = [self.sides[side].take(which) for side, which in chosen]
            if self.configuration.shuffle:
                groups = [shuffled(group, rng, self.configuration.shuffle) for group in groups]
            extra = () if found else (self._alike(own),) * 2
            yield Batch(groups, extra if self.targets is None else (*extra, self.targets[own]))

    def _alike(self, pairs: Indices) -> NDArray[np.bool_]:
        """Return (n, n), true where two pairs share a sentence and are no negatives of each other."""
        one, other = (texts[pairs] for texts in self.texts)
        alike: NDArray[np.bool_] = (one[:, None] == one) | (other[:, None] == other)
        return alike

    def negatives(self, pairs: Indices, model: SentenceModel) -> tuple[Indices, Indices]:
        """Return for each of some pairs the pair of the second and of the first side's negative."""
        texts = self.texts[0][pairs], self.texts[1][pairs]
        with np.errstate(all="ignore"):  # the loop reports a training that has diverged
            left, right = (unit(_encode(model, side.take(pairs))) for side in self.sides)
            not_left = hardest_across(left, right, texts)
            not_right = hardest_across(right, left, texts)
        return pairs[not_left], pairs[not_right]


def hardest_across(
    anchors: Vectors, candidates: Vectors, texts: tuple[Indices, Indices], at_once: int = AT_ONCE
) -> Indices:
    """Return for each anchor (n,) the most similar candidate that is not its translation.

    Anchors and candidates are unit vectors (n, dim) of either side; ``texts`` (n,) of a side are equal
    where two pairs share a sentence, which then count as translations of each other. A pair without
    any candidate gets its own other side, which cancels out of the loss.
    """
    found = np.arange(len(anchors))
    for begin in range(0, len(anchors), at_once):
        part = slice(begin, begin + at_once)
        cosines = anchors[part] @ candidates.T
        for numbers in texts:
            cosines[numbers[part, None] == numbers] = -np.inf
        best = cosines.argmax(axis=1)
        apart = np.isfinite(cosines[np.arange(len(best)), best])
        found[part] = np.where(apart, best, found[part])
    return found


def shuffled(sentences: Ragged, rng: np.random.Generator, fraction: float) -> Ragged:
    """Return the sentences, a fraction of them with words in random order (2, Encoders)."""
    lengths = sentences.lengths
    owners = np.repeat(np.arange(len(lengths)), lengths)
    drawn = rng.random(len(lengths)) < fraction
    places = np.where(drawn[owners], rng.random(len(owners)), np.arange(len(owners)))
    return Ragged(sentences.flat[np.lexsort((places, owners))], sentences.offsets)


def _numbered(sentences: Sequence[str]) -> Indices:
    """Return a number (n,) for each sentence, equal for equal ones."""
    number: dict[str, int] = {}
    return np.array([number.setdefault(sentence, len(number)) for sentence in sentences])


def _encode(model: SentenceModel, sentences: Ragged) -> Vectors:
    """Return vectors (n, dim), computed in parts of one size, so that few shapes are compiled."""
    every = np.arange(len(sentences.lengths))
    parts = [every[begin : begin + AT_ONCE] for begin in range(0, len(every), AT_ONCE)]
    return np.concatenate([np.asarray(model.encode(sentences.take(part))) for part in parts])
