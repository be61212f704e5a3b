"""Scope of the denials of a sentence, word by word, and words that are opposites of each other.

A denial reaches the next predicate of its clause: the verb, adjective or noun after the auxiliary.
What else stands in a clause with a denied predicate may be true or false. Two denials of one
predicate undo each other. The rules follow the scope rules of NegEx (Chapman et al., 2001) and the
cues of the *SEM 2012 task (Morante and Blanco, 2012); implicative verbs follow Karttunen (1971).

Contractions and idioms of denial are read in one wording: "can't", "cannot" and "cant" become "can
not"; "not only" says nothing; "no one but" becomes "only", "unable to" becomes "fail to".
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, pairwise, product
from typing import NamedTuple

from semaniacs.features import lexicon
from semaniacs.features.batch import LONGEST
from semaniacs.features.measures.mended_tags import corrected_tags
from semaniacs.sts.text.analysis import Sentence, lemma, readings
from semaniacs.sts.text.prefixes import denied_inside, opposed
from semaniacs.sts.text.tokenizer import STOP_WORDS, is_word


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


@lru_cache(maxsize=1 << 18)
def bases(word: str, tag: str) -> tuple[tuple[str, int], ...]:
    """Return the names of a lower-cased word's axes, or its stem, each with +1 or −1.

    "closed" is −1 on the axis open/close, "joyless" the −1 of joyful, "unpaid" that of pay.
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
            if adjective in AXES or denied_inside(adjective):
                return bases(adjective, "JJ")
    inner = denied_inside(stem) or (denied_inside(word) if word != stem else None)
    if not inner:
        return opposed(stem, tag) or ((stem, 1),)
    return tuple((name, -sign) for name, sign in AXES.get(inner, ((lemma(inner, "VBN"), 1),)))


class Token(NamedTuple):
    """A lower-cased token with its part-of-speech tag, after rewriting."""

    word: str
    tag: str


_TAGS = {"not": "RB", "only": "RB", "all": "DT", "can": "MD", "fail": "VB", "to": "TO"}
_TAGS |= {"cause": "VB", "caused-by": "VBN", "over": "IN"}

_IDIOMS = {one: said for some, said in lexicon.rows("idiom") for one in some.split("/")}
for _verb in lexicon.phrases("rumoured"):
    for _is in ("is", "are", "was", "were"):
        _IDIOMS[f"{_is} {_verb} to"] = "allegedly"
for _other, (_whom, _meaning) in product(lexicon.phrases("except"), lexicon.rows("before except")):
    for _who in _whom.split("/"):
        _IDIOMS |= {f"{_who} {_other}": _meaning, f"{_who} else {_other}": _meaning}
for _it in lexicon.words("free of"):
    _IDIOMS |= dict.fromkeys((f"{_it} free", f"{_it} - free", f"free of {_it}"), f"without {_it}")

CONTRACTED = {short: tuple(long.split()) for short, long in lexicon.rows("contraction that denies")}
_BEFORE_LIKE = lexicon.words("before the verb like")
BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}

_BY_FIRST: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {"far": []}
for _idiom, _meaning in sorted(_IDIOMS.items(), key=lambda item: -len(item[0].split())):
    _words = tuple(_idiom.split())
    _BY_FIRST.setdefault(_words[0], []).append((_words, tuple(_meaning.split())))

_LONGEST_IDIOM = max(len(idiom.split()) for idiom in _IDIOMS)

FINITE = lexicon.words("plain auxiliary") | {"'s"}


@lru_cache(maxsize=1 << 16)
def reworded(sentence: Sentence) -> tuple[Token, ...]:
    """The first ``LONGEST`` tokens of a sentence, lower-cased, idioms of denial rewritten."""
    tagged = sentence.tokens[:LONGEST], corrected_tags(sentence)[:LONGEST]
    spelled = [token for spellings in map(_spelled, *tagged) for token in spellings]
    words = [token.word for token in spelled]
    for place in range(1, len(spelled)):
        before, (word, _) = spelled[place - 1].word, spelled[place]
        if word == "not" and before in BEFORE_NOT:
            spelled[place - 1] = Token(BEFORE_NOT[before], "MD")
        elif word == "like" and before in _BEFORE_LIKE:
            spelled[place] = Token(word, "VB")
        elif before == "to" and spelled[place].tag == "JJ" and "to" in words[place + 1 : place + 3]:
            spelled[place - 1] = Token("too", "RB")  # as it is often misspelt: to cold to swim
    tokens = _without_tag_question(spelled)
    found, place = list[Token](), 0
    while place < len(tokens):
        taken, meaning = _idiom_at(tokens, place) if tokens[place].word in _BY_FIRST else (0, ())
        if taken:
            tag = tokens[place + taken - 1].tag
            found += [Token(word, _TAGS.get(word, tag)) for word in meaning]
            place += taken
            continue
        words = [token.word for token in tokens[place : place + 2]]
        joined = tokens[place : place + 1 + (words[0] == "non") + (words == ["non", "-"])]
        prefix = "non-" if len(joined) > 1 else ""  # "non-dairy" and "non dairy" are one word
        found.append(Token(prefix + joined[-1].word, joined[-1].tag))
        place += len(joined)
    return tuple(found)


@lru_cache(maxsize=1 << 18)
def _spelled(token: str, tag: str) -> tuple[Token, ...]:
    word = token.lower()
    if word in CONTRACTED:
        return tuple(Token(part, _TAGS.get(part, "MD")) for part in CONTRACTED[word])
    return () if word == '"' else (Token(word, tag),)


def _idiom_at(tokens: list[Token], place: int) -> tuple[int, tuple[str, ...]]:
    if tokens[place].word == "far" and [t.word for t in tokens[place + 1 : place + 2]] == ["from"]:
        is_quality = tokens[place + 2 : place + 3] and tokens[place + 2].tag[:2] in ("JJ", "RB")
        return (2, ("not",)) if is_quality else (0, ())  # "far from perfect", not "far from home"
    said = tuple([token.word for token in tokens[place : place + _LONGEST_IDIOM]])
    for words, meaning in _BY_FIRST[said[0]]:
        if said[: len(words)] == words:
            return len(words), meaning
    return 0, ()


def _without_tag_question(tokens: list[Token]) -> list[Token]:
    """The tokens, without the "not" of a question that expects yes: "isn't it nice?"."""
    asks = len(tokens) > 2 and tokens[-1].word == "?"
    if asks and tokens[0].word in FINITE and tokens[1].word == "not":
        return [tokens[0], *tokens[2:]]
    return tokens


TRUE, FALSE, EITHER = 1, 2, 3

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
_HOW_MANY = lexicon.words("how many")

DENIERS = _NOT | _NOBODY | lexicon.words("denier")
"""Words that deny another one; without them only a word in itself, or two together, can deny."""

IN_TWO = {word: frozenset(others.split()) for word, others in lexicon.rows("denier in two words")}
"""Words that deny together with another one."""


def may_deny(words: frozenset[str]) -> bool:
    """Whether the scope of denials is worth looking at, by the lower-cased words alone."""
    in_two = (word in words and not others.isdisjoint(words) for word, others in IN_TWO.items())
    return not DENIERS.isdisjoint(words) or any(in_two)


@dataclass
class Item:
    """A content word of a sentence.

    Attributes:
        ends: the axes that it names, or its stem, each with +1 or −1, see :func:`bases`.
        truth: whether it is asserted (1), denied (2) or either (3).
        direct: whether a denial reaches it.
    """

    word: str
    ends: tuple[tuple[str, int], ...]
    truth: int
    direct: bool
    noun: bool


@dataclass
class _Scan:
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
    before = scan.tokens[place - 1] if place else Token("", "")
    after = scan.tokens[place + 1] if place + 1 < len(scan.tokens) else Token("", "")
    scan.verb |= tag[:1] in "VM"
    if word in _ENDS or word in _STARTS:
        _boundary(scan, word)
    elif _denies(word, before, after):
        if after.word in _QUANTIFIED or word == "few":
            scan.vague = True
        else:
            scan.phrase = before.word == "," or (
                after.tag in ("DT", "IN") and before.tag[:1] in "NJ"
            )
            scan.pending = not scan.pending
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


def _denies(word: str, before: Token, after: Token) -> bool:
    if word == "less":
        # "less dense" is not as dense; "even less" goes on with a denial.
        return after.tag == "JJ" and before.word not in ("even", "still")
    return word in _NOT or (word == "few" and before.word not in ("a", "quite", "the"))


def _boundary(scan: _Scan, word: str) -> None:
    if scan.pending and word in (",", "-", "that", "as", "if", "whether"):
        return  # "is not, however, good"; "it is not true that"; "doubts whether"
    if word in ("and", ",") and not scan.verb:
        return  # "Tom and Mary do not"
    if word in ("until", "till"):  # who did not leave until noon left at noon
        for item in scan.items[scan.start :]:
            ends = tuple((f"{name} until", sign) for name, sign in item.ends)
            if item.direct or not (item.noun or scan.denied):
                scan.items.append(replace(item, word=f"{item.word} until", ends=ends))
            item.truth = EITHER
    if word == "or" and scan.denied:
        scan.close()
        scan.pending = True
        return
    if word in ("than", "as"):
        return
    scan.close()
    scan.pending = word == "unless"


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
    if word == "going" and [t.tag for t in scan.tokens[place + 1 : place + 3]] == ["TO", "VB"]:
        return  # "is going to arrive"
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
    if stem in _SAYS and verb:  # a new clause for reported speech
        pending = scan.pending
        scan.close()
        scan.pending = pending


def _switched(scan: _Scan, place: int) -> bool:
    return any(lemma(w, t) in _SWITCHES for w, t in scan.tokens[max(0, place - 4) : place])


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
