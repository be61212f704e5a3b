"""Signs that change the meaning of what stands beside them: C++, A-, $100, a + b, :(, ✗."""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import product

from semaniacs.features import lexicon
from semaniacs.features.batch import either
from semaniacs.features.measures.sameness import Difference, worst
from semaniacs.features.registry import pairwise
from semaniacs.sts.text.analysis import Sentence
from semaniacs.sts.text.signs import Sign, signs
from semaniacs.sts.text.units import UNITS

MISSING = 0.6
"""Confidence in a conflict if one side lacks the sign of a number."""

ALONE = 0.3
"""Confidence in a conflict if one side alone has a sign that belongs to no word, such as :)."""

_MONEY = lexicon.words("money")
_WORTH = frozenset(word for word, (unit, *_) in UNITS.items() if unit.dimension in _MONEY)
_SHARES = frozenset(word for word, (unit, *_) in UNITS.items() if unit.dimension == "share")
_ABOUT, _BOUNDS = frozenset("≈~"), frozenset("<>≤≥=")
_POWERS = frozenset("squared cubed square cubic sq m² m³ cm² cm³ km²".split())
_PAIRED = frozenset("([{'\"")
"""Signs that conflict with another of them alone: x[0] and x(0), 6' and 6"."""

_ORDINARY = frozenset(".,?")
_SAID = {"!": "not", "+": "plus", "-": "minus"}


def sign_differences(a: Sentence, b: Sentence) -> tuple[Difference, ...]:
    """Return the signs that one sentence has and the other lacks: "c++ ≠ c", ":) ≠ :("."""
    left, right = _own_signs(a, b), _own_signs(b, a)
    lone, others = left - right, right - left
    bounds = [{sign for sign in side if sign.sign in _BOUNDS} for side in (lone, others)]
    if any(map(str.isdigit, a.text + b.text)) and not all(bounds):  # amounts are compared
        lone, others = lone - bounds[0], others - bounds[1]
    found = list(_attached(lone, others, b))
    found += [Difference(y, x, grade) for x, y, grade in _attached(others, lone, a)]
    turned = [{s for s in side if s.sign[0] == " "} for side in (lone, others)]  # a - b, b - a
    for x, y in product(*map(sorted, turned)):
        if x.sign == y.sign and x.of in b.words and y.of in a.words:
            found.append(Difference(_written(x), _written(y), 1.0))
    one, other = (" ".join(sorted(s.sign for s in side if not s.of)) for side in (lone, others))
    if (one and other) or (one + other).strip("*/ "):
        found.append(Difference(one, other, 1.0 if one and other else ALONE))
    return tuple(dict.fromkeys(found))


def _own_signs(side: Sentence, other: Sentence) -> set[Sign]:
    """Return the signs of a side but for those that are compared by value, or said in words."""
    said = {token.lower() for token in other.tokens}
    shares, worth = not said.isdisjoint(_SHARES), not said.isdisjoint(_WORTH)
    digits, powers = any(map(str.isdigit, side.text)), not said.isdisjoint(_POWERS)

    def is_compared(sign: Sign) -> bool:
        if not sign.of[:1].isdigit():
            told = (digits and sign.sign in _ABOUT) or (powers and sign.sign in ("^2", "^3"))
            return sign.sign == "?" or told or _SAID.get(sign.sign) in said
        return sign.sign == "-" or (shares if sign.sign in "%‰" else worth)

    return {sign for sign in signs(side.text) if not is_compared(sign)}


def _attached(lone: Set[Sign], others: Set[Sign], other: Sentence) -> Iterator[Difference]:
    """Yield what the other side has in place of each sign, at the same word or number."""
    instead = {(sign.of, sign.sign in _PAIRED): sign for sign in sorted(others) if sign.of}
    words = {*other.tokens, *other.words}
    for sign in sorted(sign for sign in lone if sign.of and sign.sign[0] != " "):
        paired = sign.sign in _PAIRED
        if (sign.of, paired) in instead:
            yield Difference(_written(sign), _written(instead[sign.of, paired]), 1.0)
        elif not paired and sign.of in words:
            yield Difference(_written(sign), sign.of, MISSING if sign.of[0].isdigit() else 1.0)


def _written(sign: Sign) -> str:
    """Return a sign with its word; after a name that is no grade a minus is before it: -x."""
    first = sign.sign in "$€£¥₹“!~/./../" or (sign.sign == "-" and sign.of.islower())
    return f"{sign.sign}{sign.of}" if first else f"{sign.of}{sign.sign}"


def _is_sign(token: str) -> bool:
    return not token[0].isalnum() and token[0] not in _ORDINARY


@pairwise("sign_conflict", "agreement", "our own", where=either(_is_sign))
def sign_conflict(a: Sentence, b: Sentence) -> float:
    """1 if signs of the same word differ, 0.6 if one side lacks that of a number, 0.3 if one lacks
    a sign that is alone; else 0."""
    return worst(sign_differences(a, b))
