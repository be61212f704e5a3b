"""A language taught by an English encoder, which does not change.

Every word of the new language starts as the mean of the rows of the English words that it is
aligned with (:mod:`semaniacs.embeddings.bitext.alignment`). Training then moves the mean of a sentence's
words towards the English vector of the translation, as Reimers and Gurevych (2020) do with
transformers. Little bitext is enough, and all languages that are taught so share one space.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from semaniacs.embeddings.bitext.alignment import expected_links
from semaniacs.embeddings.bitext.bitext_configuration import Levelling, Teaching
from semaniacs.embeddings.bitext.corpus import Bitext
from semaniacs.embeddings.bitext.multilingual import Taught, with_fallback
from semaniacs.embeddings.encoder import Encoder, unit
from semaniacs.embeddings.table import Table, Vectors, as_int8
from semaniacs.embeddings.tokenizers.row_numbers import INSIDE, Ragged
from semaniacs.embeddings.training.loop import Options, train_encoder
from semaniacs.embeddings.training.losses import cosine_distance
from semaniacs.embeddings.training.sentence_model import SentenceModel, mean_pool
from semaniacs.embeddings.training.sparse_rows import compact, make_optimizer, replaced
from semaniacs.embeddings.training.trainable import Batch
from semaniacs.sts.errors import StsError
from semaniacs.sts.text.tokenizer import words


def teach_language(
    english: Encoder,
    bitext: Bitext,
    configuration: Teaching,
    **options: Unpack[Options[Taught]],
) -> Taught:
    """Train an encoder of the second language of a bitext, whose first is English, in an English space.

    The teacher has words and pieces of ours; the options are
    :class:`~semaniacs.embeddings.training.loop.Options`. Raises an StsError if no pair holds a word on
    both sides, or as :func:`.loop.run`.
    """
    label = options.setdefault("label", "learning a language")
    own = choose_own(english, bitext.side(1), configuration)
    start = with_fallback(english, own, Table(np.zeros((len(own), english.dim), np.float32)))
    left, right = english.ids(bitext.side(0)), start.ids(bitext.side(1))
    if not np.any((left.lengths > 0) & (right.lengths > 0)):
        raise StsError(f"{label}: no pair holds a word on both sides")
    links = expected_links(
        right, left, (len(start.tokenizer), len(english.table)), configuration.iterations
    )
    links = links[: len(own)] + borrowed_links(own, english, configuration)
    occurrences = np.bincount(right.flat, minlength=len(start.tokenizer))[: len(own)]
    rows = linked_rows(links, english.table, occurrences + np.float64(configuration.borrowed))
    table = np.vstack([rows, start.table[len(own) :]])
    targets = unit(english.encode(bitext.side(0)))
    active, sentences = compact(right)
    optimizer, pool = make_optimizer("adam"), mean_pool(english)
    model = SentenceModel(table[active], optimizer, cosine_distance, pool=pool)
    data = TeachingData(configuration, sentences, targets)

    def current() -> Taught:
        learned = replaced(table, active, model.rows())[: len(own)]
        if configuration.levelling:
            learned = levelled(learned, occurrences, configuration.levelling)
        own_rows = as_int8(Table(learned))
        return Taught(with_fallback(english, own, own_rows), len(own))

    parts = {"start": table, "words": [right.flat, right.offsets], "teacher": targets}
    return train_encoder(model, data, configuration, current, parts, **options)


def choose_own(english: Encoder, sentences: Sequence[str], configuration: Teaching) -> list[str]:
    """Return frequent words, then pieces to spell words that neither language knows."""
    counts = Counter(word for sentence in sentences for word in words(sentence))
    theirs = {word for word in english.tokenizer.known if not word.startswith(INSIDE)}
    listed = [
        word for word, count in counts.items() if count >= configuration.min_count or word in theirs
    ]
    own = sorted(listed, key=lambda word: (-counts[word], word))
    known = {*own, *theirs}
    probabilities = {word: count / counts.total() for word, count in counts.items()}
    pieces = choose_pieces(sorted(known), probabilities, configuration.pieces)
    return [*own, *(piece for piece in pieces if piece not in known)]


def choose_pieces(known: Sequence[str], probabilities: Mapping[str, float], size: int) -> list[str]:
    """Choose pieces to spell every other word with.

    Return all single characters, and ``size`` stretches of up to 7 letters from inside unknown
    words of up to 25. A stretch is worth its length times the square root of the word's
    probability, summed over all words.
    """
    listed = set(known)
    alphabet = dict.fromkeys(c for word in probabilities for c in word if c not in listed)
    inside = dict.fromkeys(INSIDE + c for word in probabilities for c in word[1:])
    saved: Counter[str] = Counter()
    rare = 1e-8
    for word, p in probabilities.items():
        if word not in listed and len(word) <= 25:
            worth = max(p / rare, 1.0) ** 0.5
            for begin in range(1, len(word)):
                for end in range(begin + 2, min(len(word), begin + 7) + 1):
                    saved[word[begin:end]] += worth * (end - begin)
    best = sorted(saved, key=lambda piece: (-saved[piece], piece))[:size]
    return [*alphabet, *inside, *(INSIDE + piece for piece in best)]


def borrowed_links(own: Sequence[str], english: Encoder, configuration: Teaching) -> csr_matrix:
    """Return links (len(own), V) between the words that both languages have, mostly names."""
    shared = [
        (row, english.tokenizer.rows[word])
        for row, word in enumerate(own)
        if word in english.tokenizer and not word.startswith(INSIDE)
    ]
    ends = np.array(shared, np.int64).reshape(-1, 2).T
    counts = np.full(len(shared), configuration.borrowed)
    return csr_matrix((counts, tuple(ends)), shape=(len(own), len(english.tokenizer)))


def linked_rows(links: csr_matrix, table: Vectors, occurrences: NDArray[np.float64]) -> Vectors:
    """Return for each foreign word (words, dim) the weighted mean of its linked English rows.

    ``links`` is (words, V), ``table`` (V, dim). A mean is scaled down by the square root of the
    fraction of a word's ``occurrences`` (words,) with a link; without any it is zero.
    """
    in_all = np.asarray(links.sum(axis=1)).reshape(-1)
    scale = np.sqrt(in_all / np.maximum(occurrences, 1)) / np.maximum(in_all, 1e-9)
    rows: Vectors = ((links @ table) * scale[:, None]).astype(np.float32)
    return rows


def levelled(rows: Vectors, occurrences: NDArray[np.int64], levelling: Levelling) -> Vectors:
    """Bring the rows (words, dim) of rare words towards the length of the others.

    The less the translations of a word agree, the shorter is its row, which is mostly noise for a
    rare word. A length l becomes l^(1 − w) · m^w with m the median length, n the occurrences
    (words,), and w = share · rare / (rare + n). Rows of words that never occur do not change.
    """
    lengths = np.linalg.norm(rows, axis=1)
    some = (occurrences > 0) & (lengths > 0)
    if not some.any():
        return rows
    weight = levelling.share * levelling.rare / (levelling.rare + occurrences[some])
    scale = np.ones_like(lengths)
    scale[some] = (np.median(lengths[some]) / lengths[some]) ** weight
    return np.asarray(rows * scale[:, None], np.float32)


@dataclass(frozen=True)
class TeachingData:
    """n sentences of the new language, and the teacher's vectors (n, dim) of their translations."""

    configuration: Teaching
    words: Ragged
    targets: Vectors

    def rounds(self, epoch: int) -> int:
        """Batches in an epoch."""
        return -(-len(self.targets) // self.configuration.batch)

    def batches(self, epoch: int, number: int, model: SentenceModel) -> Iterator[Batch]:
        """Yield one batch of sentences in random order, with their targets."""
        seed, batch = self.configuration.seed, self.configuration.batch
        order = np.random.default_rng([seed, epoch]).permutation(len(self.targets))
        chosen = order[number * batch :][:batch]
        yield Batch([self.words.take(chosen)], (self.targets[chosen],))
