"""Accuracy of a score on triples, and the effect of harmless rewritings on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.behaviour.triples import Triple
from semaniacs.sts.data.pairs import HIGHEST, Scores

ScorePairs = Callable[[Sequence[str], Sequence[str]], Scores]
"""(n,) scores of n left and n right sentences; higher is nearer, on any scale."""

KEPT = {"typo": 0.5}
"""Least share that a rewriting must keep, see :class:`Invariance`; :data:`MOST` for the others."""

MOST = 0.9

_DEVIATIONS = 1.959964
"""Standard deviations of a normal distribution that contain 95 % of it on both sides."""


@dataclass(frozen=True)
class Accuracy:
    """The share of triples whose closer sentence has the higher score. A tie is wrong.

    Attributes:
        value: from 0 to 1; of several phenomena the mean of theirs.
        low, high: 95 % interval of Wilson (1927); it has a width also where all triples are right.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Invariance:
    """Effect of one rewriting on the scores of the sentences that it changes.

    Of a sentence a, its rewriting r and an unrelated sentence u,
    (s(a, r) − s(a, u)) / (s(a, a) − s(a, u)) is kept: 1 if the rewriting costs nothing, 0 if the
    score takes it for unrelated.

    Attributes:
        sentences: number that it changes, without those that score no more with themselves than
            with u.
        kept: mean share that is kept; NaN without a sentence.
        share: of the sentences that keep enough; NaN without a sentence.
    """

    sentences: int
    kept: float
    share: float


@dataclass(frozen=True)
class Behaviour:
    """Figures of the suite for one score.

    Attributes:
        closer, farther: (n,) its scores of each anchor with its two sentences.
        phenomena: accuracy by phenomenon.
        overall: the mean of the phenomena.
        identity: share of the anchors whose score with themselves is exactly 5.
        symmetry: share of the anchors whose score with the closer sentence is the same, to the
            last bit, if the sides are exchanged.
        invariances: by rewriting.
    """

    closer: Scores
    farther: Scores
    phenomena: dict[str, Accuracy]
    overall: Accuracy
    identity: float
    symmetry: float
    invariances: dict[str, Invariance]


def try_behaviour(triples: Sequence[Triple], score: ScorePairs) -> Behaviour:
    """Compute all figures of one score on one or more triples."""
    anchors = [triple.anchor for triple in triples]
    closer = [triple.closer for triple in triples]
    half = len(anchors) // 2  # half the list away, an anchor is of another phenomenon
    rewritten = {name: [rewrite(a) for a in anchors] for name, rewrite in REWRITINGS.items()}
    scores = _score_at_once(
        score,
        {
            "closer": (anchors, closer),
            "exchanged": (closer, anchors),
            "farther": (anchors, [triple.farther for triple in triples]),
            "own": (anchors, anchors),
            "unrelated": (anchors, anchors[half:] + anchors[:half]),
            # A sentence that a rewriting does not change is scored with itself, and not counted below.
            **{name: (anchors, texts) for name, texts in rewritten.items()},
        },
    )
    near, far, own = scores["closer"], scores["farther"], scores["own"]
    phenomena, overall = accuracies([t.phenomenon for t in triples], near > far)
    return Behaviour(
        near,
        far,
        phenomena,
        overall,
        float(np.mean(own == HIGHEST)),
        float(np.mean(scores["exchanged"] == near)),
        {
            name: _invariance(
                KEPT.get(name, MOST),
                np.array([*map(str.__ne__, texts, anchors)]) & (own > scores["unrelated"]),
                *(scores[of] for of in (name, "unrelated", "own")),
            )
            for name, texts in rewritten.items()
        },
    )


def _score_at_once(
    score: ScorePairs, pairs: Mapping[str, tuple[Sequence[str], Sequence[str]]]
) -> dict[str, Scores]:
    """Score several lists of pairs by a single call, as a call may be slow to begin."""
    left, right = (
        [sentence for sides in pairs.values() for sentence in sides[side]] for side in (0, 1)
    )
    ends = np.cumsum([len(sides[0]) for sides in pairs.values()])[:-1]
    return dict(zip(pairs, np.split(score(left, right), ends), strict=True))


def accuracies(
    phenomena: Sequence[str], right: NDArray[np.bool_]
) -> tuple[dict[str, Accuracy], Accuracy]:
    """Return the accuracy of each phenomenon, in order of first appearance, and their mean.

    The mean counts as a share of m triples, with 1 / m the mean of the 1 / n of each phenomenon,
    divided by the number of phenomena: of m = n triples if all phenomena have as many. ``right``
    (n,) says whether each triple is right.
    """
    names = np.array(phenomena)
    rows = {name: right[names == name] for name in dict.fromkeys(phenomena)}
    found = {name: _with_interval(float(one.mean()), len(one)) for name, one in rows.items()}
    mean = float(np.mean([accuracy.value for accuracy in found.values()]))
    return found, _with_interval(mean, len(rows) ** 2 / sum(1 / len(one) for one in rows.values()))


def _with_interval(share: float, count: float) -> Accuracy:
    """Return a share of ``count`` triples with Wilson's interval (Brown et al., 2001, section 3.1.1)."""
    extra = _DEVIATIONS**2 / count
    middle = share + extra / 2
    half = (extra * (share * (1 - share) + extra / 4)) ** 0.5
    low, high = (middle - half) / (1 + extra), (middle + half) / (1 + extra)
    return Accuracy(share, max(0.0, low), min(1.0, high))


def _invariance(
    least: float, counted: NDArray[np.bool_], scores: Scores, unrelated: Scores, own: Scores
) -> Invariance:
    """Return the share of the (n,) scores that a rewriting keeps, for the ``counted`` sentences."""
    if not counted.any():
        return Invariance(0, float("nan"), float("nan"))
    kept = ((scores - unrelated)[counted]) / ((own - unrelated)[counted])
    return Invariance(int(counted.sum()), float(kept.mean()), float(np.mean(kept >= least)))


_VERBS = "do does did is are was were has have had would could should".split()
_SUBJECTS = {"am": ["I"], "are": "you we they".split(), "will": "I you he she we they".split()}
_ENDINGS = {"am": "'m", "are": "'re", "will": "'ll"}
_LONG_TO_SHORT = {
    "cannot": "can't",
    "will not": "won't",
    **{f"{verb} not": f"{verb}n't" for verb in _VERBS},
    **{
        f"{subject} {verb}": f"{subject}{_ENDINGS[verb]}"
        for verb, subjects in _SUBJECTS.items()
        for word in subjects
        for subject in dict.fromkeys((word, word.capitalize()))
    },
}
_SHORT_TO_LONG = {short: long for long, short in _LONG_TO_SHORT.items()}
_LONG = re.compile(rf"\b(?:{'|'.join(_LONG_TO_SHORT)})\b")
_SHORT = re.compile(
    rf"\b(?:{'|'.join(_SHORT_TO_LONG)})\b(?! (?:I|you|he|she|it|we|they|there|anyone)\b)"
)


def misspell(sentence: str) -> str:
    """Exchange two neighbouring letters in the middle of the longest word, the first of its length.

    Capitalised words and those of fewer than five letters stay as they are.
    """
    words = [
        match
        for match in re.finditer(r"\b[a-z]{5,}\b", sentence)
        if match[0][len(match[0]) // 2 - 1] != match[0][len(match[0]) // 2]
    ]
    if not words:
        return sentence
    longest = max(words, key=lambda match: len(match[0]))
    at = longest.start() + len(longest[0]) // 2
    return sentence[: at - 1] + sentence[at] + sentence[at - 1] + sentence[at + 1 :]


def without_full_stop(sentence: str) -> str:
    """Leave out the final full stop, but no dots."""
    return sentence if sentence.endswith("..") else sentence.removesuffix(".")


def contract(sentence: str) -> str:
    """Spell out contractions; where there are none, contract.

    *'s*, *'d* and *'ve* stay, as they are short for several words or verbs, and so does *n't*
    before a pronoun, as in questions.
    """
    spelt_out = _SHORT.sub(lambda match: _SHORT_TO_LONG[match[0]], sentence)
    if spelt_out != sentence:
        return spelt_out
    return _LONG.sub(lambda match: _LONG_TO_SHORT[match[0]], sentence)


REWRITINGS: dict[str, Callable[[str], str]] = {
    "typo": misspell,
    "upper case": str.upper,
    "lower case": str.lower,
    "no full stop": without_full_stop,
    "contraction": contract,
}
"""Rewritings by the name that tables show; a sentence may come back as it was."""
