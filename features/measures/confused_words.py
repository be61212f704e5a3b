"""Words that writers confuse: "the mood off the poem" beside "the mood of the poem".

Both words are known, so no rule of spelling sees the slip. A word is read as the one that it is
confused with only where the other side has that one beside the same word. Misspelt denials ("dosent")
are read whatever the other side says, for a sentence means the opposite without them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from semaniacs.features import lexicon

MEANT = {word: meant.split() for word, meant in lexicon.rows("confused word")}
"""The words that a word is confused with; in one direction, so that the order of the sides says nothing."""

_DENIALS = lexicon.table("misspelt denial")
_MAY_DENY = re.compile(r"\b[acdhimsw][a-z']+t\b", re.IGNORECASE)
"""A word that may be one of them; to look for each takes ten times as long."""


def spell_denials(text: str) -> str:
    """Return a text in which misspelt denials are spelled: "dosent" is "doesn't"."""
    return _MAY_DENY.sub(lambda found: _DENIALS.get(found[0].lower(), found[0]), text)


def confused(own: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the places of confused words among lower-cased tokens, and the words that are meant."""
    places = [place for place, word in enumerate(own) if word in MEANT]
    if not places:
        return
    mine, theirs = (set(pairwise(some)) for some in (own, other))
    for place in places:
        before, after = ["", *own][place], [*own, ""][place + 1]
        for meant in MEANT[own[place]]:
            beside = {(before, meant), (meant, after)} & theirs
            if beside - mine and own[place] not in other:
                yield place, meant
                break
