"""Words inside others that a prefix or an ending denies or opposes: unpaid, joyless, endothermic."""

from __future__ import annotations

from semaniacs.sts.text import word_lists
from semaniacs.sts.text.analysis import frequency, lemma, readings

_PREFIXED = word_lists.table("denied by a prefix")
_NOT_UN = word_lists.words("un- that denies nothing")
_NOT_LESS = word_lists.words("-less that denies nothing")
_NOT_OPPOSED = word_lists.words("prefix that opposes nothing")
(_pairs,) = word_lists.phrases("opposite prefixes")
_OPPOSED = [pair.split("/") for pair in _pairs.split()]
KNOWN = 5e-8  # frequency from which letters are taken for a word


def opposed(word: str, tag: str) -> tuple[tuple[str, int], ...]:
    """Return the axes of a word whose prefix has an opposite: endothermic, exothermic."""
    found = {}
    for upper, lower in () if word in _NOT_OPPOSED else _OPPOSED:
        for own, other, sign in ((upper, lower, 1), (lower, upper, -1)):
            rest = word.removeprefix(own)
            known = frequency(other + rest) > KNOWN or readings(other + rest)
            if 3 < len(rest) < len(word) and known:
                found[f"{upper}/{lower} {lemma(rest, tag)}"] = sign
    return tuple(found.items())


def denied_inside(word: str) -> str | None:
    """Return the word that a prefix or an ending denies: paid of unpaid; None if there is none."""
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
