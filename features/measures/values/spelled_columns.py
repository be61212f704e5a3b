"""Which pairs may spell one word in two ways, for whole columns: the others need not be read.

What is found here is looked at again by :func:`.respell`, so it may be too much, but never too
little.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.kernel import kernel
from embeddings.tokenizers.ragged import Ragged
from features.batch import LONGEST, Batch
from features.measures.values.spelled import (
    LONG,
    american,
    folded,
    is_listed,
    is_short,
    is_suspicious,
    long_forms,
    lower_tokens,
)

Flags = NDArray[np.bool_]

_BASE = np.uint64(0x9E3779B97F4A7C15)
_END = "\0"
"""A mark, a token by itself, that no text has."""


class _Words(NamedTuple):
    """What is compared of each distinct token, (v,) each.

    Attributes:
        word: whether it begins with a letter.
        odd: whether it may have another spelling at all.
        needed: the last words of what it may be a short form of, a bit each; said: which of those
            words it says itself.
        listed: whether a dictionary lists it.
        folded: the number of its American spelling without case and marks.
        length: how many characters it has; letters: all of them, end to end; begins: (v + 1,) where
            each token's begin.
        hashed, power: its polynomial hash, and the base to the power of its length.
    """

    word: Flags
    odd: Flags
    needed: NDArray[np.int64]
    said: NDArray[np.int64]
    listed: Flags
    folded: NDArray[np.int64]
    length: NDArray[np.int64]
    letters: NDArray[np.int32]
    begins: NDArray[np.int64]
    hashed: NDArray[np.uint64]
    power: NDArray[np.uint64]


def may_differ(batch: Batch) -> Flags:
    """(n,) the pairs that may have one word in two spellings."""
    plain = np.array([_is_plain(sentence.text) for sentence in batch.sentences], np.bool_)
    both = zip(batch.sentences, plain.tolist(), strict=True)
    tokens, sequences = _numbered(s.text if is_plain else "" for s, is_plain in both)
    left, right = batch.sides(plain)
    asked = _candidates(*sequences, *batch.pairs, *_describe(tokens))
    return np.asarray(asked | ~left | ~right)


def _is_plain(text: str) -> bool:
    return len(text) < LONGEST and text.isascii() and _END not in text


def _numbered(texts: Iterable[str]) -> tuple[list[str], Ragged]:
    """The distinct tokens of texts, lower-cased, and each text as their numbers; read in one go."""
    found = lower_tokens("".join(text + _END for text in texts))
    numbers = {token: place for place, token in enumerate(dict.fromkeys(found))}
    flat = np.fromiter(map(numbers.__getitem__, found), np.int32, len(found))
    ends = np.flatnonzero(flat == numbers.get(_END, -1))
    return list(numbers), Ragged(np.delete(flat, ends), np.append(0, ends - np.arange(len(ends))))


def _describe(tokens: Sequence[str]) -> _Words:
    word = np.array([token[0].isalpha() for token in tokens], np.bool_)
    odd = np.array([token[0].isalpha() and is_suspicious(token) for token in tokens], np.bool_)
    plain: dict[str, int] = {}
    needed, said = _short_forms(tokens)
    length = np.fromiter(map(len, tokens), np.int64, len(tokens))
    spelled = Ragged(
        np.frombuffer("".join(tokens).encode("utf-32-le"), np.int32),
        np.concatenate([[0], np.cumsum(length)]),
    )
    hashed, power = np.zeros(len(tokens), np.uint64), np.ones(len(tokens), np.uint64)
    _hash(*spelled, hashed, power)
    return _Words(
        word,
        odd,
        needed,
        said,
        np.array([is_listed(token) for token in tokens], np.bool_),
        np.array([plain.setdefault(folded(american(t)), len(plain)) for t in tokens], np.int64),
        length,
        *spelled,
        hashed,
        power,
    )


def _short_forms(tokens: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """``needed`` and ``said`` of each token."""
    bits: dict[str, int] = {}
    forms = {place: long_forms(token) for place, token in enumerate(tokens) if is_short(token)}
    needed = np.zeros(len(tokens), np.int64)
    for place, some in forms.items():
        for long in some:
            needed[place] |= bits.setdefault(long.split()[-1], 1 << len(bits))
    said = np.array([bits.get(token, 0) for token in tokens], np.int64)
    for place, some in forms.items():
        for word in " ".join(some).split():
            said[place] |= bits.get(word, 0)
    return needed, said


@kernel(nogil=True)
def _hash(flat, offsets, hashed, power):
    for word in range(len(hashed)):
        for place in range(offsets[word], offsets[word + 1]):
            hashed[word] = hashed[word] * _BASE + np.uint64(flat[place])
            power[word] *= _BASE


@kernel(nogil=True)
def _candidates(
    flat, offsets, left, right,
    word, odd, needed, said, listed, folded, length, letters, begins, hashed, power,
):  # fmt: skip
    found = np.zeros(len(left), np.bool_)
    for p in range(len(left)):
        a = flat[offsets[left[p]] : offsets[left[p] + 1]]
        b = flat[offsets[right[p]] : offsets[right[p] + 1]]
        lone_a, lone_b = _lone(a, b, word), _lone(b, a, word)
        if len(lone_a) == 0 or len(lone_b) == 0:
            continue
        found[p] = _spoken(lone_a, b, needed, said) or _spoken(lone_b, a, needed, said)
        for x in lone_a:
            for y in lone_b:
                if (odd[x] or odd[y]) and abs(length[x] - length[y]) <= 2:
                    slip = listed[x] != listed[y] and _slip(
                        letters[begins[x] : begins[x + 1]], letters[begins[y] : begins[y + 1]]
                    )
                    found[p] |= slip or folded[x] == folded[y]
        found[p] |= _joins(a, lone_b, length, hashed, power)
        found[p] |= _joins(b, lone_a, length, hashed, power)
    return found


@kernel(nogil=True)
def _spoken(lone, others, needed, said):
    """Whether the other side may say what one of the lone words is a short form of."""
    heard = 0
    for y in others:
        heard |= said[y]
    for x in lone:  # noqa: SIM110 (any() is not compiled)
        if needed[x] & heard:
            return True
    return False


@kernel(nogil=True)
def _slip(x, y):
    """Whether one slip, in long words two, may lead from one word to the other."""
    shorter = min(len(x), len(y))
    if shorter >= LONG:
        apart = 0
        for place in range(shorter):
            apart += x[place] - y[place]
        return x[0] == y[0] or (len(x) == len(y) and apart == 0)
    begin = end = 0
    while begin < shorter and x[begin] == y[begin]:
        begin += 1
    while end < shorter - begin and x[-1 - end] == y[-1 - end]:
        end += 1
    left, right = len(x) - begin - end, len(y) - begin - end
    return max(left, right) < 2 or left == right == 2


@kernel(nogil=True)
def _lone(own, other, word):
    """The words that the other side does not have."""
    found = np.empty(len(own), own.dtype)
    count = 0
    for x in own:
        if word[x]:
            alone = True
            for y in other:
                if x == y:
                    alone = False
                    break
            if alone:
                found[count] = x
                count += 1
    return found[:count]


@kernel(nogil=True)
def _joins(own, lone, length, hashed, power):
    """Whether two neighbours, or two with one between them, are written like a lone word."""
    for step in (1, 2):
        for i in range(len(own) - step):
            x, y = own[i], own[i + step]
            for whole in lone:
                same = hashed[whole] == hashed[x] * power[y] + hashed[y]
                if same and length[whole] == length[x] + length[y]:
                    return True
    return False
