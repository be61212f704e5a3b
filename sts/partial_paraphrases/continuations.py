"""A paraphrase whose left side goes on with words that the right side does not have.

It stands in for the continuations by GPT-2 of Peng, Weir and Weeds, section 3.3: sentences of our
own, cut every five words. They say little of the sentence before them and are the same few for
all, so they are easier to see than a language model's.
"""

from __future__ import annotations

import hashlib
import re

from sts.partial_paraphrases.partial import EXCHANGES, GradedPair, Group, tidy

STEP = 5
"""Words that each pair has more than the one before."""

CONTINUATIONS = (
    "the news of it soon reached the coast where the ships waited for better weather",
    "many people who lived nearby remembered it long after the last witnesses had moved away",
    "the rest of the story was told years later in letters kept by a cousin",
    "a second plan was drawn up that winter but the money never arrived in time",
    "the cost was higher than anyone had expected when the first papers had been signed",
    "nobody could say for certain whether the same thing would happen again the following year",
    "the road to the north stayed closed until the snow had melted in the spring",
    "a small crowd gathered outside to hear the results before the shops opened that morning",
    "the teacher asked her pupils to write down what they had seen from the window",
    "several reports about it were lost when the cellar of the archive filled with water",
    "the family kept a photograph of that day on the wall above the kitchen table",
    "a neighbour offered to repair the roof in exchange for two baskets of ripe pears",
)
"""Each of 15 words."""

_LAST_MARK = re.compile(r"(\s*)([.!?]*)\s*$")


def continued(name: str, a: str, b: str, *, seed: int = 0) -> Group:
    """A group of a paraphrase: a itself, and a with ", and" and 5, 10 and 15 words more, beside b.

    Which continuation it is depends on the seed and ``a`` alone. The mark that ends the sentence
    comes last, after a space where there was one.
    """
    a, b = tidy(a), tidy(b)
    digest = hashlib.sha256(f"{seed}|{a}".encode()).digest()
    words = CONTINUATIONS[int.from_bytes(digest, "big") % len(CONTINUATIONS)].split()
    ending = _LAST_MARK.search(a)
    assert ending is not None  # it may be empty
    begin, space = a[: ending.start()], " " if ending[1] else ""
    pairs = [GradedPair(EXCHANGES + 1, a, b)]
    for count in range(1, EXCHANGES + 1):
        more = " ".join(words[: STEP * count])
        left = f"{begin}{space}, and {more}{ending[1]}{ending[2]}"
        pairs.append(GradedPair(EXCHANGES + 1 - count, left, b))
    return Group(name, tuple(pairs))
