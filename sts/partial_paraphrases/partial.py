"""Groups of four pairs that share less and less meaning, made of a pair that shares all of it.

Peng, Weir and Weeds, Testing Paraphrase Models on Recognising Sentence Pairs at Different Degrees
of Semantic Overlap, sections 3.3 and 4. Degrees are numbers of exchanges, or of words added, by
construction: nobody judged the sentences.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from sts.errors import DataError
from sts.partial_paraphrases.like_words import Unit, coordinations, like_groups, units_of
from sts.text.tokenizer import is_word, normalise, tokenize

EXCHANGES = 3
"""Exchanges of a group, each on top of the last."""

COORDINATION = "coordination"
"""The flag of an exchange inside a coordination, which may leave the meaning as it was."""

Against = Literal["a", "b"]
"""The sentence that the changed ones are compared with."""


class GradedPair(NamedTuple):
    """A pair of a group.

    Attributes:
        degree: 4 for a paraphrase, 1 for the pair that shares least.
        left, right: its sentences.
        flags: what is to be known of it: "" or :data:`COORDINATION`.
    """

    degree: int
    left: str
    right: str
    flags: str = ""


class Group(NamedTuple):
    """Four pairs, by falling degree."""

    name: str
    pairs: tuple[GradedPair, ...]

    @property
    def flagged(self) -> bool:
        """Whether any of its pairs has a flag."""
        return any(pair.flags for pair in self.pairs)


class Exchange(NamedTuple):
    """Two units of a sentence that trade places."""

    kind: str
    first: int
    second: int


def tidy(text: str) -> str:
    """A sentence with one kind of quotes and dashes, and one space where there was white space."""
    return " ".join(normalise(text).split())


def draw_exchanges(text: str, units: Sequence[Unit], *, seed: int = 0) -> list[Exchange] | None:
    """Three groups of like words and two of each, drawn by a hash; None if there are too few.

    What is drawn depends on the seed and the sentence alone.
    """

    def drawn(*what: object) -> str:
        return hashlib.sha256("|".join(map(str, (seed, text, *what))).encode()).hexdigest()

    groups = like_groups(units)
    if len(groups) < EXCHANGES:
        return None
    kinds = sorted(groups, key=drawn)[:EXCHANGES]
    chosen = [sorted(groups[kind], key=drawn)[:2] for kind in kinds]
    return [Exchange(kind, *sorted(two)) for kind, two in zip(kinds, chosen, strict=True)]


def exchanged(text: str, units: Sequence[Unit], exchanges: Iterable[Exchange]) -> str:
    """The sentence with the two units of each exchange in each other's places."""
    now = [unit.text for unit in units]
    for _, first, second in exchanges:
        now[first], now[second] = now[second], now[first]
    parts, end = [], 0
    for unit, other in zip(units, now, strict=True):
        parts += [text[end : unit.start], other]
        end = unit.end
    return "".join(parts) + text[end:]


def multi_swap(name: str, a: str, b: str, *, seed: int = 0, against: Against = "b") -> Group | None:
    """A group of a paraphrase by exchanges in its right side; None if that has too few like words.

    Of degree 4 is (a, b). The pair of degree 4 - k has on its left b after k exchanges, and on
    its right b; all are tidied, see :func:`tidy`.

    Args:
        name: of the group.
        a, b: the paraphrase.
        seed: of what is drawn, see :func:`draw_exchanges`.
        against: ``b``, as the paper has it; or ``a``, a control: a is then the right side of
            all four pairs, so that every exchange costs words in common order with it.
    """
    a, b = tidy(a), tidy(b)
    units = units_of(b)
    exchanges = draw_exchanges(b, units, seed=seed)
    if exchanges is None:
        return None
    joined = coordinations(b, units)
    left, right = (a, b) if against == "b" else (b, a)
    pairs = [GradedPair(EXCHANGES + 1, left, right)]
    for count, (_, first, second) in enumerate(exchanges, 1):
        flagged = any(first in run and second in run for run in joined)
        changed = exchanged(b, units, exchanges[:count])
        degree = EXCHANGES + 1 - count
        pairs.append(GradedPair(degree, changed, right, COORDINATION if flagged else ""))
    return Group(name, tuple(pairs))


MakeGroup = Callable[[str, str, str], Group | None]
"""Makes a group of its name and the two sides of a paraphrase."""


def make_groups(
    paraphrases: Iterable[tuple[str, str, str]], make: MakeGroup, origin: str = "paraphrases"
) -> tuple[list[Group], dict[str, int]]:
    """The groups of many paraphrases, and how many there are.

    Args:
        paraphrases: the name, such as a line, and both sides of each; names are distinct.
        make: :func:`multi_swap`, :func:`.continued`, or either with its options.
        origin: the file, for errors.

    Returns:
        The groups in order; and the counts ``paraphrases``, ``groups``, ``skipped`` (the
        sentence has too few like words) and ``flagged``.

    Raises:
        DataError: a side has no word.
    """
    groups = []
    counts = Counter(dict.fromkeys(("paraphrases", "groups", "skipped", "flagged"), 0))
    for name, a, b in paraphrases:
        for side, text in (("left", a), ("right", b)):
            if not any(map(is_word, tokenize(text))):
                raise DataError(
                    f"{origin}:{name}: the {side} side {text!r:.80} has no words; expected a "
                    "sentence: leave the line out"
                )
        group = make(name, a, b)
        counts["paraphrases"] += 1
        counts["groups" if group else "skipped"] += 1
        if group:
            groups.append(group)
            counts["flagged"] += group.flagged
    return groups, dict(counts)
