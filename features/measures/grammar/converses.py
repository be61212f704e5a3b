"""Words that say the same from the other side: buy and sell, parent and child, above and below.

Lists by hand; the term is of Lyons (1977), Semantics, 9.1.
"""

from __future__ import annotations

Words = frozenset[str]
Roles = dict[str, Words]


def _lines(text: str) -> dict[str, str]:
    return {word: line.split()[0] for line in text.strip().splitlines() for word in line.split()}


SYMMETRIC = frozenset(
    """
    meet marry resemble equal differ border adjoin intersect divorce date match overlap agree argue
    cooperate collaborate correspond coincide compete debate chat talk converse wed contrast play
    face encounter parallel connect merge combine mix unite separate compare negotiate quarrel wrestle
    accompany tie draw touch join neighbor neighbour part alternate vary interact
    """.split()
)
"""Verbs whose two sides can be exchanged: Ann met Tom, Tom met Ann."""

_SAME_VERB = _lines(
    """
    give send hand mail email deliver donate present award grant pass ship grants
    buy purchase
    beat defeat outplay thrash
    scare frighten terrify
    call phone telephone
    cause trigger provoke
    tell inform
    lend loan
    follow succeed
    employ hire
    attack assault
    """
)
"""Verbs that are read alike, by the first of their line."""

# The verb that says the same from the other side; which role becomes which; without the role
# in the third place nothing is exchanged.
_CONVERSE: dict[str, tuple[str, dict[str, str], str]] = {
    "buy": ("sell", {"from": "agent", "agent": "to"}, "agent"),
    "receive": ("give", {"from": "agent", "agent": "to"}, "agent"),
    "get": ("give", {"from": "agent", "agent": "to"}, "from"),
    "accept": ("give", {"from": "agent", "agent": "to"}, "from"),
    "obtain": ("give", {"from": "agent", "agent": "to"}, "from"),
    "inherit": ("give", {"from": "agent", "agent": "to"}, "from"),
    "borrow": ("lend", {"from": "agent", "agent": "to"}, "agent"),
    "rent": ("lease", {"from": "agent", "agent": "to"}, "from"),
    "learn": ("teach", {"from": "agent", "agent": "to"}, "from"),
    "hear": ("tell", {"from": "agent", "agent": "to"}, "from"),
    "import": ("export", {"from": "agent", "agent": "to"}, "from"),
    "lose": ("beat", {"to": "agent", "agent": "patient", "patient": "what"}, "to"),
    "win": ("beat", {"against": "patient", "over": "patient", "patient": "what"}, "agent"),
    "prevail": ("beat", {"against": "patient", "over": "patient"}, "agent"),
    "triumph": ("beat", {"against": "patient", "over": "patient"}, "agent"),
    "follow": ("precede", {"agent": "patient", "patient": "agent"}, "patient"),
    "trail": ("lead", {"agent": "patient", "patient": "agent"}, "patient"),
    "belong": ("own", {"to": "agent", "agent": "patient"}, "to"),
    "work": ("employ", {"for": "agent", "agent": "patient"}, "for"),
    "fear": ("scare", {"agent": "patient", "patient": "agent"}, "patient"),
    "prefer": ("prefer", {"over": "to"}, "over"),
    "please": ("like", {"agent": "patient", "patient": "agent"}, "patient"),
    "result": ("cause", {"from": "agent", "agent": "patient", "in": "patient"}, "agent"),
    "stem": ("cause", {"from": "agent", "agent": "patient"}, "from"),
    "lead": ("cause", {"to": "patient"}, "to"),
}

KIN = _lines(
    """
    parent mother father mom mum dad
    child son daughter
    grandparent grandmother grandfather grandma grandpa
    grandchild grandson granddaughter
    teacher tutor instructor
    student pupil
    boss manager supervisor employer superior
    employee subordinate
    uncle aunt
    nephew niece
    husband
    wife
    master
    servant
    predecessor
    successor
    host
    guest
    doctor physician therapist
    patient
    owner
    landlord
    tenant
    mentor
    mentee protege apprentice
    ancestor
    descendant
    lawyer attorney
    client
    buyer
    seller
    coach trainer
    trainee
    creditor
    debtor
    """
)
_KIN_CONVERSE = {
    "child": "parent", "grandchild": "grandparent", "student": "teacher", "employee": "boss",
    "nephew": "uncle", "wife": "husband", "servant": "master", "successor": "predecessor",
    "guest": "host", "patient": "doctor", "tenant": "landlord", "mentee": "mentor",
    "descendant": "ancestor", "client": "lawyer", "seller": "buyer", "trainee": "coach",
    "debtor": "creditor",
}  # fmt: skip

PLACES: dict[str, tuple[str, int]] = {
    "above": ("above", 1), "over": ("above", 1), "on": ("above", 1), "below": ("above", -1),
    "under": ("above", -1), "beneath": ("above", -1), "underneath": ("above", -1),
    "behind": ("behind", 1), "in front of": ("behind", -1), "ahead of": ("behind", -1),
    "north of": ("north", 1), "south of": ("north", -1), "east of": ("east", 1),
    "west of": ("east", -1), "northeast of": ("northeast", 1), "southwest of": ("northeast", -1),
    "northwest of": ("northwest", 1), "southeast of": ("northwest", -1),
    "left of": ("left", 1), "right of": ("left", -1), "in": ("in", 1), "inside": ("in", 1),
    "upstream of": ("upstream", 1), "downstream of": ("upstream", -1),
    "upstairs from": ("upstairs", 1), "downstairs from": ("upstairs", -1),
}  # fmt: skip
"""A relation in space, and on which side of it the first one stands."""

OPPOSITES = {
    word: (line.split()[0], 1 - 2 * i)
    for line in """
    tall long high | short low
    old | young new
    big large great | small tiny
    heavy | light
    fast quick quickly | slow slowly
    strong powerful | weak
    rich wealthy | poor
    hot warm | cold cool chilly
    good well | bad badly
    hard difficult | easy simple soft
    late | early soon
    far distant | near close
    many much | few little
    thick wide broad fat | thin narrow slim
    deep | shallow
    bright | dark dim
    loud noisy | quiet silent
    expensive costly | cheap inexpensive
    clean | dirty
    safe | dangerous risky
    happy | sad unhappy
    smart clever intelligent | stupid dumb
    wet humid | dry
    full crowded busy | empty
    brave | cowardly
    beautiful pretty | ugly
    often frequent | rare rarely seldom
    common | rare
    important | unimportant
    popular | unpopular
    famous | obscure
    sharp | blunt dull
    polite kind | rude mean
    """.strip().splitlines()
    for i, end in enumerate(line.split("|"))
    for word in end.split()
}
"""Scales: the word of its upper end, and on which end a word lies."""


TELLING = frozenset(
    {*_SAME_VERB, *_CONVERSE, *(verb for verb, _, _ in _CONVERSE.values()), *KIN, *OPPOSITES}
    | set(
        """
        before after until till since because so therefore thus hence if only unless without
        instead despite although though then prior due owing thanks result from to into toward towards onto following by more
        less few fewer above over on below under beneath underneath behind front ahead north south
        east west northeast northwest southeast southwest left right in inside than as once soon
        """.split()
    )
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
    """What somebody is to another, and whether the two are to be exchanged; None for other words."""
    kin = KIN.get(word)
    if kin is None:
        return None
    return _KIN_CONVERSE.get(kin, kin), kin in _KIN_CONVERSE
