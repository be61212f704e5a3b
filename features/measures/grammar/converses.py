"""Words that say the same from the other side: buy and sell, parent and child, above and below.

Lists by hand; the term is of Lyons (1977), Semantics, 9.1.
"""

from __future__ import annotations

from features import lexicon
from features.measures.grammar.clauses import Words

Roles = dict[str, Words]


SYMMETRIC = lexicon.words("symmetric verb")
"""Verbs whose two sides can be exchanged: Ann met Tom, Tom met Ann."""

_SAME_VERB = lexicon.table("same verb")
"""Verbs that are read as another one."""

# The verb that says the same from the other side; which role becomes which; without the role
# in the third place nothing is exchanged.
_CONVERSE = {
    verb: (other, dict(change.split(">") for change in changes.split()), needed)
    for verb, (other, changes, needed) in lexicon.fields("converse verb").items()
}

KIN = lexicon.table("kin")
_KIN_CONVERSE = lexicon.table("converse kin")

PLACES = {word: (scale, int(sign)) for word, (scale, sign) in lexicon.fields("place").items()}
"""A relation in space, and on which side of it the first one stands."""

OPPOSITES = {word: (scale, int(sign)) for word, (scale, sign) in lexicon.fields("opposite").items()}
"""Scales: the word of its upper end, and on which end a word lies."""


TELLING = lexicon.words("tells direction").union(
    _SAME_VERB,
    _SAME_VERB.values(),
    _CONVERSE,
    (verb for verb, _, _ in _CONVERSE.values()),
    KIN,
    OPPOSITES,
)
"""Lemmas that tell which side is which."""


def canonical_verb(verb: str, roles: Roles) -> tuple[str, Roles]:
    """The verb and its roles as they are compared: what Ann bought from Tom, Tom sold to Ann."""
    if verb == "succeed" and "patient" not in roles:
        return verb, roles
    verb = _SAME_VERB.get(verb, verb)
    if verb in _CONVERSE:
        other, change, needed = _CONVERSE[verb]
        direct = verb == "win" and not ({"against", "over"} & set(roles))
        if needed in roles and not direct and (verb != "lead" or "patient" not in roles):
            verb, roles = other, {change.get(role, role): words for role, words in roles.items()}
    if verb in ("teach", "tell") and "patient" not in roles and "to" in roles:
        roles = {("patient" if role == "to" else role): words for role, words in roles.items()}
    return verb, roles


def canonical_kin(word: str) -> tuple[str, bool] | None:
    """Return a relation of kin, and whether its sides are exchanged; None for other words."""
    kin = KIN.get(word)
    if kin is None:
        return None
    return _KIN_CONVERSE.get(kin, kin), kin in _KIN_CONVERSE
