"""A language learned from a teacher: its words come to mean what theirs mean in English.

The English side of the bitext is not trained but is its own teacher, as a strong
encoder sees it. Every word of the other language starts from the English words that
it translates, in proportion (:mod:`embeddings.bitext.alignment`); training then makes
the mean of a sentence's words point where the teacher points. Little bitext is enough,
every language that is learned so shares the space of all others, and the English
vectors stay as good as they were. Reimers and Gurevych (2020) teach transformers so.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from embeddings.bitext.alignment import expected_links
from embeddings.bitext.bitext_configuration import Teaching
from embeddings.bitext.corpus import Bitext
from embeddings.encoder import Encoder, unit
from embeddings.multilingual import with_fallback
from embeddings.pretraining.starting_vectors import choose_pieces
from embeddings.table import Table, Vectors, as_int8
from embeddings.tokenizers.ragged import Ragged
from embeddings.tokenizers.words import INSIDE
from embeddings.training import loop, losses
from embeddings.training.loop import Batch, Checkpoint
from embeddings.training.optimizers import adam
from embeddings.training.pairs_trainer import compact
from embeddings.training.sparse_rows import SparseTable
from sts.errors import StsError
from sts.files import sha256_of_bytes
from sts.text.tokenizer import words


@dataclass(frozen=True)
class Taught:
    """A language that was learned.

    Attributes:
        encoder: in the space of the English one.
        own: how many of its first rows are its own; the others are the English ones.
    """

    encoder: Encoder
    own: int


def teach_language(
    english: Encoder,
    bitext: Bitext,
    how: Teaching,
    *,
    checkpoint: Path | None = None,
    label: str = "learning a language",
) -> Taught:
    """An encoder of the second language of a bitext in the space of an English one.

    Args:
        english: the teacher, with words and pieces of ours.
        bitext: n pairs, English first.
        how: the schedule.
        checkpoint: file that training is resumed from; removed at the end.
        label: of the progress bar.

    Raises:
        StsError: no pair holds a word on both sides, a file that is no checkpoint, or
            a loss that is not finite.
    """
    own = choose_own(english, bitext.side(1), how)
    start = with_fallback(english, own, Table(np.zeros((len(own), english.dim), np.float32)))
    left, right = english.ids(bitext.side(0)), start.ids(bitext.side(1))
    if not np.any((left.lengths > 0) & (right.lengths > 0)):
        raise StsError(f"{label}: no pair holds a word on both sides")
    links = expected_links(right, left, (len(start.tokenizer), len(english.table)), how.iterations)
    links = links[: len(own)] + borrowed_links(own, english, how)
    occurrences = np.bincount(right.flat, minlength=len(start.tokenizer))[: len(own)]
    rows = linked_rows(links, english.table, occurrences.astype(np.float64) + how.borrowed)
    table = np.vstack([rows, start.table[len(own) :]])
    taught = unit(english.encode(bitext.side(0)))
    table = _train(table, right, taught, how, checkpoint, label)
    own_rows = as_int8(Table(table[: len(own)]))
    return Taught(with_fallback(english, own, own_rows), len(own))


def choose_own(english: Encoder, sentences: Sequence[str], how: Teaching) -> list[str]:
    """Words that occur often enough, then pieces to spell those that neither language knows."""
    counts = Counter(word for sentence in sentences for word in words(sentence))
    theirs = {word for word in english.tokenizer.known if not word.startswith(INSIDE)}
    listed = [word for word, count in counts.items() if count >= how.fewest or word in theirs]
    own = sorted(listed, key=lambda word: (-counts[word], word))
    known = {*own, *theirs}
    probabilities = {word: count / counts.total() for word, count in counts.items()}
    pieces = choose_pieces(sorted(known), probabilities, how.pieces)
    return [*own, *(piece for piece in pieces if piece not in known)]


def borrowed_links(own: Sequence[str], english: Encoder, how: Teaching) -> csr_matrix:
    """A link (len(own), V) from each word that English has too to itself: a name, mostly."""
    shared = [
        (row, english.tokenizer.rows[word])
        for row, word in enumerate(own)
        if word in english.tokenizer and not word.startswith(INSIDE)
    ]
    ends = np.array(shared, np.int64).reshape(-1, 2).T
    counts = np.full(len(shared), how.borrowed)
    return csr_matrix((counts, tuple(ends)), shape=(len(own), len(english.tokenizer)))


def linked_rows(links: csr_matrix, table: Vectors, occurrences: NDArray[np.float64]) -> Vectors:
    """For each foreign word the English rows that it is linked to, in proportion.

    A word that often translates nothing, such as an article that English has no use
    for, says little: its row is shorter by the root of how often it is linked.

    Args:
        links: (words, V).
        table: (V, dim).
        occurrences: (words,).

    Returns:
        (words, dim); zeros for a word without a link.
    """
    in_all = np.asarray(links.sum(axis=1)).reshape(-1)
    scale = np.sqrt(in_all / np.maximum(occurrences, 1)) / np.maximum(in_all, 1e-9)
    rows: Vectors = ((links @ table) * scale[:, None]).astype(np.float32)
    return rows


@dataclass
class _TaughtPlan:
    """Foreign sentences, where their translations point, and the order of both."""

    how: Teaching
    words: Ragged
    taught: Vectors

    @property
    def epochs(self) -> int:
        return self.how.epochs

    def rate(self, done: float) -> float:
        return self.how.learning_rate * (1 - (1 - self.how.final_rate) * done)

    def rounds(self, epoch: int) -> int:
        return -(-len(self.taught) // self.how.batch)

    def batches(self, epoch: int, number: int, table: SparseTable) -> Iterator[Batch]:
        order = np.random.default_rng([self.how.seed, epoch]).permutation(len(self.taught))
        chosen = order[number * self.how.batch :][: self.how.batch]
        yield Batch([self.words.take(chosen)], (self.taught[chosen],))


def _train(
    table: Vectors,
    ids: Ragged,
    taught: Vectors,
    how: Teaching,
    checkpoint: Path | None,
    label: str,
) -> Vectors:
    active, compacted = compact(ids)
    learner = SparseTable(table[active], adam(), _apart)
    kept = None
    if checkpoint:
        learned: list[NDArray[Any]] = [table, ids.flat, ids.offsets, taught]
        said = [asdict(how), *(sha256_of_bytes(array.tobytes()) for array in learned)]
        kept = Checkpoint(checkpoint, sha256_of_bytes(json.dumps(said).encode()))
    loop.run(_TaughtPlan(how, compacted, taught), learner, label=label, checkpoint=kept)
    trained = table.copy()
    trained[active] = learner.rows()
    return trained


def _apart(vectors: Any, taught: Any) -> Any:
    """Mean of 1 − cos(vector, what is taught)."""
    return jnp.mean(1.0 - losses.cosine(vectors, taught))
