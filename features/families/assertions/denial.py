"""Scope of the denials of a sentence, word by word.

A denial reaches the next predicate of its clause: the verb, adjective or noun after the auxiliary.
What else stands in a clause with a denied predicate may be true or false. Two denials of one
predicate undo each other. The rules follow the scope rules of NegEx (Chapman et al., 2001) and the
cues of the *SEM 2012 task (Morante and Blanco, 2012); implicative verbs follow Karttunen (1971).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from features import lexicon
from features.families.assertions.axes import AXES, bases
from features.families.assertions.wording import Token, reworded
from sts.text.analysis import Sentence, lemma
from sts.text.tokenizer import STOP_WORDS, is_word

TRUE, FALSE = 1, 2
EITHER = TRUE | FALSE

_NOT = lexicon.words("denial")
_NOBODY = lexicon.words("nobody")
_STARTS = lexicon.words("clause begins")
_ENDS = lexicon.words("clause ends")
_SWITCHES = lexicon.words("switch")
LIGHT = lexicon.words("light word")
_PASSED = lexicon.words("denial passes on")
_SAYS = lexicon.words("say")
_TO = lexicon.words("denies before to")
_ING = lexicon.words("denies before -ing")
_FROM = lexicon.words("denies before from")
_MANAGES = lexicon.words("manage")
_QUANTIFIED = lexicon.words("quantified")

DENIERS = _NOT | _NOBODY | lexicon.words("denier")
"""Words that deny another one; without them only a word in itself, or two together, can deny."""

IN_TWO = {word: frozenset(others.split()) for word, others in lexicon.rows("denier in two words")}
"""Words that deny together with another one."""


def may_deny(words: frozenset[str]) -> bool:
    """Whether the scope of denials is worth looking at, by the lower-cased words alone."""
    if not DENIERS.isdisjoint(words):
        return True
    return any(word in words and not others.isdisjoint(words) for word, others in IN_TWO.items())


@dataclass
class Item:
    """A content word of a sentence.

    Attributes:
        word: as it was written, in lower case.
        ends: the axes that it names, or its stem, each with +1 or −1, see :func:`bases`.
        truth: whether it is asserted (1), denied (2) or either (3).
        direct: whether a denial reaches it.
        noun: whether it is a noun.
    """

    word: str
    ends: tuple[tuple[str, int], ...]
    truth: int
    direct: bool
    noun: bool


@dataclass
class _Scan:
    """The state of the scanner: what it has found, and what it is inside of."""

    tokens: tuple[Token, ...]
    items: list[Item] = field(default_factory=list)
    start: int = 0  # the first item of this clause
    pending: bool = False  # a denial that has not reached its word
    vague: bool = False  # "not all": some are, some are not
    restricted: bool = False  # "none of the students": these are, what follows is denied
    verb: bool = False  # this clause has a verb
    phrase: bool = False  # the denial is of the next phrase alone: "without sugar"
    denied: bool = False  # a predicate of this clause is denied
    last: Item | None = None  # the last word that is no adverb

    def close(self) -> None:
        """The clause ends; a denial without a word is of something left out: "he is not"."""
        if self.denied or self.pending:
            for item in self.items[self.start :]:
                if not item.direct:
                    item.truth = EITHER
        self.start = len(self.items)
        self.pending = self.vague = self.restricted = self.verb = self.phrase = self.denied = False
        self.last = None


@lru_cache(maxsize=1 << 16)
def said(sentence: Sentence) -> tuple[Item, ...]:
    """The content words of a sentence with their truth."""
    scan = _Scan(reworded(sentence))
    for place, token in enumerate(scan.tokens):
        _step(scan, place, token)
    scan.close()
    return tuple(scan.items)


def _step(scan: _Scan, place: int, token: Token) -> None:
    word, tag = token
    after = scan.tokens[place + 1] if place + 1 < len(scan.tokens) else Token("", "")
    scan.verb |= tag[:1] in "VM"
    if word in _ENDS or word in _STARTS:
        _boundary(scan, word)
    elif word in _NOT or (word == "few" and not _after_a(scan, place)):
        if after.word in _QUANTIFIED or word == "few":
            scan.vague = True
        else:
            _deny(scan, place, after)
    elif word == "nor":
        scan.pending = True
    elif word in ("no", "neither") or word in _NOBODY:
        _no(scan, word, after)
    elif word in ("without", "lack") or (tag[:1] == "V" and lemma(word, tag) == "lack"):
        scan.pending, scan.phrase = not scan.pending, True
    elif word == "to" and any(t.word == "too" for t in scan.tokens[max(0, place - 5) : place]):
        scan.pending = not scan.pending  # "too tired to walk"
    elif is_content(word, tag):
        _content(scan, place, token, after)


def _boundary(scan: _Scan, word: str) -> None:
    """A mark or a conjunction: mostly the end of the clause, and of what is denied."""
    if scan.pending and word in (",", "-", "that", "as", "if", "whether"):
        return  # "is not, however, good"; "it is not true that"; "doubts whether"
    if word in ("and", ",") and not scan.verb:
        return  # "Tom and Mary do not"
    if word in ("until", "till"):
        for item in scan.items[scan.start :]:
            item.truth = EITHER  # who did not leave until noon left at noon
    if word == "or" and scan.denied:
        scan.close()
        scan.pending = True
        return
    if word in ("than", "as"):
        return
    scan.close()
    scan.pending = word == "unless"


def _deny(scan: _Scan, place: int, after: Token) -> None:
    """ "not" and its like."""
    before = scan.tokens[place - 1] if place else Token("", "")
    scan.phrase = before.word == "," or (after.tag in ("DT", "IN") and before.tag[:1] in "NJ")
    scan.pending = not scan.pending


def _no(scan: _Scan, word: str, after: Token) -> None:
    """ "no" and its like: as an object it denies the verb before it too."""
    if word == "no" and (after.tag in ("CD", "") or not after.tag[:1].isalpha()):
        return  # the answer no; No. 7
    if after.word == "of":
        scan.pending = scan.restricted = True
    elif scan.last and not scan.last.noun:
        scan.last.truth = EITHER if scan.last.truth == EITHER else EITHER ^ scan.last.truth
        scan.last.direct = True
        scan.denied = True
        scan.pending = scan.phrase = word == "no"
    else:
        scan.pending = not scan.pending


_HOW_MANY = lexicon.words("how many")


def is_content(word: str, tag: str) -> bool:
    """Whether a lower-cased token says something of its own: no mark and no function word."""
    if word in AXES:
        return True
    return is_word(word) and word not in STOP_WORDS and word not in _HOW_MANY and tag[:2] != "CC"


def _content(scan: _Scan, place: int, token: Token, after: Token) -> None:
    word, tag = token
    stem = lemma(word, tag)
    noun = tag[:1] == "N" or tag == "CD"
    verb = tag[:1] == "V"
    if word in LIGHT or stem in LIGHT or (word in ("on", "off") and not _switched(scan, place)):
        return
    if _flips(scan, place, stem, after):
        scan.pending = not scan.pending
        return
    if stem in _MANAGES and after.word == "to":
        return
    adverb = tag[:2] == "RB"
    reached = scan.pending and not adverb and tag not in ("IN", "RP", "TO")
    if reached and noun and scan.restricted:
        scan.items.append(Item(word, bases(word, tag), EITHER, False, True))
        scan.restricted = after.tag[:1] == "N"
        return
    attribute = scan.phrase and after.tag[:1] == "N" and not verb  # "no good reason"
    truth = EITHER if scan.vague else FALSE if reached and not attribute else TRUE
    holds = word in ("true", "case") and after.word == "that"  # "it is not true that"
    passes = reached and (holds or (stem in _PASSED and not noun))
    if passes:
        truth = EITHER
    item = Item(word, bases(word, tag), truth, reached and not attribute, noun)
    scan.items.append(item)
    if noun or verb or tag[:1] == "J":
        scan.last = item
    if reached and not attribute and not passes:
        to_come = after.word == "to" and verb
        scan.denied |= not scan.phrase
        no_subject = noun and not scan.phrase and _verb_follows(scan.tokens, place)
        scan.pending = to_come or no_subject
        scan.phrase = False
    if stem in _SAYS and verb:
        _embed(scan)


def _after_a(scan: _Scan, place: int) -> bool:
    """Whether it is "a few" or "quite few", which denies nothing."""
    return place > 0 and scan.tokens[place - 1].word in ("a", "quite", "the")


def _switched(scan: _Scan, place: int) -> bool:
    """Whether "on" or "off" is of something that is turned on or off."""
    return any(lemma(w, t) in _SWITCHES for w, t in scan.tokens[max(0, place - 4) : place])


def _embed(scan: _Scan) -> None:
    """Begin a new clause for reported speech."""
    pending = scan.pending
    scan.close()
    scan.pending = pending


def _verb_follows(tokens: tuple[Token, ...], place: int) -> bool:
    for token in tokens[place + 1 : place + 8]:
        if token.word in _ENDS or token.word in _STARTS:
            return False
        if token.tag[:1] in "VM":
            return True
    return False


def _flips(scan: _Scan, place: int, stem: str, after: Token) -> bool:
    """Whether the word denies what follows it: "fail to", "avoid …ing", "prevent … from …ing"."""
    if stem in _TO and (after.word == "to" or after.tag == "VB"):
        return True
    if stem in _ING and (after.tag == "VBG" or after.word.endswith("ing")):
        return True
    if stem in ("doubt", "deny") and (
        after.word in ("that", "if", "whether") or after.tag == "PRP"
    ):
        return True
    if stem in _FROM:
        near = scan.tokens[place + 1 : place + 8]
        return any(a.word == "from" and b.word.endswith("ing") for a, b in pairwise(near))
    return False
