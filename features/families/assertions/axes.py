"""Words that are opposites of each other, and words that say the same, by hand.

Each row is an axis: words towards one end, and words towards the other. A word of one end is the
denial of one of the other, as far as a sentence tells: "not open" is near "closed". Words of one
end say nearly the same.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain

from features import lexicon
from sts.text.analysis import lemma
from sts.text.lexicon.english import readings


def _table() -> dict[str, tuple[tuple[str, int], ...]]:
    found: dict[str, dict[str, int]] = {}
    for upper, lower in lexicon.rows("axis"):
        name = f"{upper.split()[0]}/{lower.split()[0]}"
        for sign, side in ((1, upper), (-1, lower)):
            for word in side.split():
                found.setdefault(word, {})[name] = sign
    for line in lexicon.phrases("same word"):
        for word in line.split():
            found.setdefault(word, {})[f"={line.split()[0]}"] = 1
    return {word: tuple(axes.items()) for word, axes in found.items()}


AXES = _table()
"""Axes of a word and the end it stands at; a name with ``=`` is that of words that say the same."""

_PREFIXED = lexicon.table("denied by a prefix")
_NOT_UN = lexicon.words("un- that denies nothing")
_NOT_LESS = lexicon.words("-less that denies nothing")


@lru_cache(maxsize=1 << 18)
def bases(word: str, tag: str) -> tuple[tuple[str, int], ...]:
    """Return the names of a lower-cased word's axes, or its stem, each with +1 or −1.

    "closed" is −1 on the axis open/close, "unhappy" and "joyless" the −1 of their stems.
    """
    stem = lemma(word, tag)
    for form in (stem, word):
        if form in AXES:
            return AXES[form]
    for form in () if tag[:1] == "V" else chain.from_iterable(readings(word).values()):
        if form in AXES:
            return AXES[form]
    if word.endswith("ly"):
        for adjective in (word[:-2], f"{word[:-3]}y", f"{word[:-2]}le"):
            if adjective in AXES or _denied(adjective):
                return bases(adjective, "JJ")
    inner = _denied(stem) or (_denied(word) if word != stem else None)
    return (
        tuple((name, -sign) for name, sign in AXES.get(inner, ((inner, 1),)))
        if inner
        else ((stem, 1),)
    )


def _denied(word: str) -> str | None:
    """The word without the prefix or suffix that denies it; None if it has none."""
    if word in _PREFIXED:
        return _PREFIXED[word]
    if word.endswith("less") and len(word) > 6 and word not in _NOT_LESS:
        return f"{word[:-4]}ful" if readings(f"{word[:-4]}ful") else word[:-4]
    for prefix in ("non", "un") if word.startswith(("non", "un")) else ():
        if word.startswith(prefix) and word not in _NOT_UN:
            rest = word[len(prefix) :].lstrip("-")
            if len(rest) > 3 and readings(rest):
                return rest
    return None
