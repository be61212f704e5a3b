"""Relations of a sentence: who does what to whom, and which word hangs on which.

Words that say the same from the other side (buy and sell, parent and child, above and below) are
read as one; the lists are our own, the term is of Lyons (1977), Semantics, 9.1.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from semaniacs.features import lexicon
from semaniacs.features.measures.clauses import Clause, Words, clauses
from semaniacs.features.measures.phrases import PRONOUNS, phrases
from semaniacs.sts.text.analysis import Sentence

Roles = dict[str, Words]


SYMMETRIC = lexicon.words("symmetric verb")
"""Verbs whose two sides can be exchanged: Ann met Tom, Tom met Ann."""

_SAME_VERB = lexicon.table("same verb")  # verbs that are read as another one

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


class Relation(NamedTuple):
    """Something that one side is, does or has to the other.

    Attributes:
        kind: "role", "path", "comparison", "time", "cause", "condition", "place" or "lack".
        name: what it is, "bite agent patient"; only relations of one name are compared.
        first, second: lemmas of the words on each side.
    """

    kind: str
    name: str
    first: Words
    second: Words


class Link(NamedTuple):
    """A word that hangs on another: "red" on "car"."""

    kind: str
    governor: str
    dependent: str


VERBAL = ("agent", "patient")  # kinds of links that say who does what

_DIRECTED = "agent patient to from for into on against about at over".split()
_UNDIRECTED = lexicon.words("undirected preposition")


@lru_cache(maxsize=1 << 14)
def _frames(sentence: Sentence) -> tuple[tuple[str, dict[str, Words], Clause], ...]:
    found = []
    for clause in clauses(sentence):
        assert clause.verb is not None
        verb, roles = canonical_verb(clause.verb.head, clause.roles)
        if verb in SYMMETRIC:
            both = [roles.pop(role) for role in ("agent", "patient", "with", "to") if role in roles]
            roles["agent"] = frozenset().union(*both)
        found.append((verb, roles, clause))
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def roles_of(sentence: Sentence) -> tuple[Relation, ...]:
    """Return the roles of a sentence as relations between any two participants, and kinship."""
    found: list[Relation] = []
    for verb, roles, clause in _frames(sentence):
        if verb == "be":
            found.extend(_kinship(clause))
            continue
        present = [role for role in _DIRECTED if role in roles]
        for i, role in enumerate(present):
            for other in present[i + 1 :]:
                name = f"{verb} {role} {other}"
                found.append(Relation("role", name, roles[role], roles[other]))
    return tuple(relation for relation in found if relation.first != relation.second)


def _kinship(clause: Clause) -> Iterator[Relation]:
    """Ann is Tom's mother, Tom is the son of Ann."""
    if not clause.objects or not clause.subject or len(clause.objects[0].members) != 1:
        return
    group = clause.objects[0]
    phrase = group.members[0]
    kin = canonical_kin(phrase.head)
    whose = group.of.union(phrase.owners)
    if kin and whose:
        name, exchanged = kin
        sides = clause.subject.words, whose
        yield Relation("role", name, *(sides[::-1] if exchanged else sides))


class Links(NamedTuple):
    """The links of a sentence.

    Attributes:
        all: every link.
        certain: prepositional phrases between a subject and its verb, which hang on nothing else.
        words: lemmas of all words of the sentence.
        heads: nouns that are heads of their phrases and stand before no other noun.
        joined: pairs of heads with nothing but "and" between their phrases.
    """

    all: frozenset[Link]
    certain: frozenset[Link]
    words: Words
    heads: Words
    joined: frozenset[Words]


@lru_cache(maxsize=1 << 14)
def links(sentence: Sentence) -> Links:
    """Which modifier, owner or prepositional phrase hangs on which noun, and who does what."""
    found: set[Link] = set()
    certain: set[Link] = set()
    read = phrases(sentence)
    for place, phrase in enumerate(read):
        if phrase.kind != "noun":
            continue
        found.update(Link("modifier", phrase.head, word) for word in phrase.modifiers)
        found.update(Link("modifier", phrase.owners[-1], word) for word in phrase.owners[:-1])
        found.update(Link("owner", phrase.head, word) for word in phrase.owners[-1:])
        if place > 1 and read[place - 1].kind == "preposition" and read[place - 2].kind == "noun":
            kind = read[place - 1].head
            if kind not in _UNDIRECTED or kind == "with":
                link = Link(kind, read[place - 2].head, phrase.head)
                found.add(link)
                ends = place + 1 < len(read) and read[place + 1].kind in ("verb", "be")
                if ends and (place < 3 or read[place - 3].kind != "preposition"):
                    certain.add(link)
    for verb, roles, clause in _frames(sentence):
        found.update(_together(clause))
        if verb == "be":
            found.update(_attributes(clause))
            continue
        for role in VERBAL:
            found.update(Link(role, verb, word) for word in roles.get(role, ()))
    nouns = [phrase for phrase in read if phrase.kind == "noun"]
    words = frozenset().union(*(phrase.words.union(phrase.owners) for phrase in read))
    heads = frozenset(p.head for p in nouns) - {m for p in nouns for m in (*p.modifiers, *p.owners)}
    joined = {
        frozenset((one.head, other.head))
        for one, between, other in zip(read, read[1:], read[2:], strict=False)
        if between.kind in ("and", "comma") and one.kind == other.kind == "noun"
    }
    return Links(frozenset(found), frozenset(certain), words, heads, frozenset(joined))


def _together(clause: Clause) -> Iterator[Link]:
    """Yield the words that are said of a subject: Tom with tea, Sue with coffee."""
    if clause.subject:
        groups = [*clause.objects, *(group for _, group in clause.obliques)]
        said = clause.complement.union(*(group.words for group in groups))
        for word in clause.subject.words:
            yield from (Link("clause", word, other) for other in said - clause.subject.words)


def _attributes(clause: Clause) -> Iterator[Link]:
    """The car is red; Ann is 12."""
    if clause.subject and not any(p in ("than", "as") for p, _ in clause.obliques):
        said = clause.complement.union(*(group.words for group in clause.objects))
        for member in clause.subject.members:
            yield from (Link("is", member.head, word) for word in said)


def opposed(a: Relation, b: Relation) -> float:
    """1 if two relations of one name have their sides exchanged, −1 if they have them alike.

    Words on the same side of both tell nothing; what is left must cross, or must stay, for at
    least half of the smaller side.
    """
    first, second = a.first - a.second, a.second - a.first
    other, another = b.first - b.second, b.second - b.first
    crossed = min(_overlap(first, another), _overlap(second, other))
    kept = min(_overlap(first, other), _overlap(second, another))
    if max(crossed, kept) < 0.5 or crossed == kept:
        return 0.0
    return 1.0 if crossed > kept else -1.0


def _overlap(a: Words, b: Words) -> float:
    return len(a & b) / min(len(a), len(b)) if a and b else float(a == b)


def exchanged(a: tuple[Relation, ...], b: tuple[Relation, ...]) -> list[Relation]:
    """The relations of ``a`` that ``b`` has with the sides exchanged, and not also as they are."""
    by_name: dict[str, list[Relation]] = defaultdict(list)
    for relation in b:
        by_name[relation.name].append(relation)
    found = []
    for relation in a:
        signs = [opposed(relation, other) for other in by_name.get(relation.name, ())]
        if signs and max(signs) > 0 and min(signs) >= 0:
            found.append(relation)
    return found


def kept(a: Sequence[Relation], b: Sequence[Relation]) -> list[Relation]:
    """The relations of ``a`` that ``b`` has the same way round."""
    return [r for r in a if any(r.name == o.name and opposed(r, o) < 0 for o in b)]


def traded(a: Links, b: Links) -> list[tuple[Link, Link]]:
    """Pairs of links of ``a`` whose dependents trade places in ``b``."""
    gone, come = sorted(a.all - b.all), b.all - a.all
    found = []
    for i, one in enumerate(gone):
        for other in gone[i + 1 :]:
            if one.kind != other.kind or one.governor == other.governor:
                continue
            there = one._replace(dependent=other.dependent) in come
            back = other._replace(dependent=one.dependent) in come
            if one.dependent != other.dependent and there and back:
                found.append((one, other))
    return found


def moved(a: Links, b: Links) -> list[tuple[Link, Link]]:
    """Links of ``a`` and of ``b`` of the same dependent on another governor, both in both."""
    heads, joined = (a.heads & b.heads) - PRONOUNS, a.joined | b.joined
    by_dependent = {(link.kind, link.dependent): link for link in sorted(b.all - a.all)}
    found = []
    for link in sorted(a.all - b.all):
        other = by_dependent.get((link.kind, link.dependent))
        if other is None or not {link.governor, other.governor} <= heads:
            continue
        told = link.kind in ("modifier", "owner") or link in a.certain or other in b.certain
        apart = frozenset((link.governor, other.governor)) not in joined
        if told and apart and link.dependent not in PRONOUNS:
            found.append((link, other))
    return found


def refilled(a: Links, b: Links) -> list[tuple[Link, Link]]:
    """Links of ``a`` and of ``b`` of who does or has what, with another who that both name."""
    both = (a.words & b.words) - PRONOUNS
    found = []
    for link in sorted(a.all - b.all):
        if link.kind not in (*VERBAL, "owner") or link.dependent not in both:
            continue
        mine = [o for o in a.all if o[:2] == link[:2]]
        theirs = [o for o in b.all if o[:2] == link[:2]]
        if len(mine) == len(theirs) == 1 and theirs[0].dependent in both:
            found.append((link, theirs[0]))
    return found
