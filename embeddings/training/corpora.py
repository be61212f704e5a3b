"""Files of sentence pairs, and the pairs of them that are trained on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.formats.lines import columns, lines
from semaniacs.sts.data.pairs import has_no_text
from semaniacs.sts.errors import DataError
from semaniacs.sts.text.tokenizer import fold

SentencePair = tuple[str, str]


def read_corpus(source: Path | str) -> list[SentencePair]:
    """Read the pairs of a ``left<TAB>right`` file, which may be gzipped; ``-`` is stdin.

    Raises a DataError if it is missing, damaged, not UTF-8, or has a line of more or fewer cells or
    with an empty side.
    """
    pairs = []
    for number, (left, right) in enumerate(columns(str(source), "left right"), 1):
        check_sides(source, number, left, right)
        pairs.append((left, right))
    return pairs


def check_sides(source: Path | str, line: int, left: str, right: str) -> None:
    """Raise a :class:`DataError` that names the file and line if a side is empty."""
    if has_no_text(left) or has_no_text(right):
        side = "left" if has_no_text(left) else "right"
        raise DataError(
            f"{source}:{line}: the {side} side is empty; expected two sentences, separated by a tab"
        )


def read_held_out(source: str) -> set[str]:
    """Read sentences that must not be trained on, one per line, and :func:`fold` them."""
    return set(map(fold, lines(source)))


def without(pairs: Iterable[SentencePair], held_out: Collection[str]) -> Iterator[SentencePair]:
    """Yield the pairs of which neither side is in ``held_out``, a set of folded sentences.

    Corpora overlap with test sets: MSRpar was drawn from MSRP, images from Flickr.
    """
    for left, right in pairs:
        if fold(left) not in held_out and fold(right) not in held_out:
            yield left, right


def distinct(pairs: Iterable[SentencePair]) -> list[SentencePair]:
    """Return pairs whose folded sides differ, in order; a pair and its mirror image count once."""
    seen: dict[tuple[str, ...], SentencePair] = {}
    for left, right in pairs:
        sides = (fold(left), fold(right))
        if sides[0] != sides[1] and all(sides):
            seen.setdefault(tuple(sorted(sides)), (left, right))
    return list(seen.values())


def keep_useful_round_trips(
    trips: Sequence[SentencePair], encoder: Encoder, *, lowest: float, highest: float
) -> tuple[list[SentencePair], dict[str, int]]:
    """Return the round trips worth training on, in order, and counts by name of kept and dropped ones.

    A sentence that comes back in the same words adds nothing (paper, 3.2). A rule-based
    translator sometimes changes the meaning, so the cosine of a sentence and its round trip,
    under ``encoder``, must lie between ``lowest`` and ``highest``.
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
