"""Where training pairs come from: gold pairs, round trips, paraphrase corpora."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from embeddings.encoder import Encoder
from sts.data.pairs import Pairs, parse_pairs
from sts.errors import DataError
from sts.files import decode, split_lines
from sts.text.tokenizer import fold

SentencePair = tuple[str, str]

STRONG = 3.8
"""Gold from which two sentences count as meaning the same (paper, 2.1 and footnote 2)."""


def strong_pairs(training: Iterable[Pairs], threshold: float = STRONG) -> list[SentencePair]:
    """The training pairs with gold ≥ ``threshold``; unscored pairs never qualify."""
    return [
        (left, right)
        for pairs in training
        for left, right, gold in zip(pairs.left, pairs.right, pairs.gold, strict=True)
        if gold >= threshold
    ]


def read_corpus(path: Path) -> list[SentencePair]:
    """Pairs of a gzipped ``a<TAB>b`` file.

    Raises:
        DataError: the file is missing, damaged, not UTF-8, or a line is malformed.
    """
    try:
        raw = gzip.decompress(path.read_bytes())
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: not a whole gzip file ({error}); fetch it again") from None
    left, right = parse_pairs(split_lines(decode(raw, path)), path, columns=(2,))
    return list(zip(left, right, strict=True))


def without(pairs: Iterable[SentencePair], held_out: Collection[str]) -> Iterator[SentencePair]:
    """Pairs of which no side stands in ``held_out``, a set of :func:`fold`-ed sentences.

    Corpora overlap with test sets (MSRpar was drawn from MSRP, images from
    Flickr); a vector must not have been trained on the very pair it scores.
    """
    for left, right in pairs:
        if fold(left) not in held_out and fold(right) not in held_out:
            yield left, right


def distinct(pairs: Iterable[SentencePair]) -> list[SentencePair]:
    """Pairs whose folded sides differ, each once whichever way round, in order."""
    seen: dict[tuple[str, ...], SentencePair] = {}
    for left, right in pairs:
        sides = (fold(left), fold(right))
        if sides[0] != sides[1] and all(sides):
            seen.setdefault(tuple(sorted(sides)), (left, right))
    return list(seen.values())


def keep_useful_round_trips(
    trips: Sequence[SentencePair],
    encoder: Encoder,
    *,
    lowest: float,
    highest: float,
) -> tuple[list[SentencePair], dict[str, int]]:
    """Round trips that teach something, and how many fell away for which reason.

    A trip back to the same words teaches nothing (paper, 3.2). A rule-based
    translator also leaves unknown words in the other language and at times
    drifts away from the meaning, so a trip must keep a similarity, under
    ``encoder``, from ``lowest`` to ``highest``.

    Returns:
        The trips kept, in order, and the counts ``identical``, ``drifted``,
        ``too close`` and ``kept``.
    """
    candidates = distinct(trips)
    left = [pair[0] for pair in candidates]
    right = [pair[1] for pair in candidates]
    similarity = encoder.similarity_pairwise(left, right)
    kept = (similarity >= lowest) & (similarity <= highest)
    counts = {
        "identical": len(trips) - len(candidates),
        "drifted": int(np.sum(similarity < lowest)),
        "too close": int(np.sum(similarity > highest)),
        "kept": int(kept.sum()),
    }
    return [candidates[i] for i in np.flatnonzero(kept)], counts
