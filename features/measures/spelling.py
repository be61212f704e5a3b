"""Pairs whose sides write the same alike, before they are compared.

One spelling for each word ("recieved", "colour", "café", "e-mail", "can't"), and one writing for each
amount: beside "$1,000,000", "1 million dollars" becomes "$1,000,000", beside "two dogs" "2 dogs"
becomes "two dogs". So every feature sees what is the same as the same.

A word of one side is read as a word of the other only where the pair gives cause: it stands on one
side alone, no dictionary lists it or a rule of spelling explains it. So words that are both known
stay apart: form and from, quiet and quite, Room 101 and Room 102. Texts of more than
``LONGEST_TEXT`` characters stay as they are: each word is compared with each.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from operator import add
from typing import NamedTuple

from rapidfuzz.distance import OSA

from semaniacs.features import lexicon
from semaniacs.features.batch import LONGEST_TEXT, Batch
from semaniacs.features.measures.notations import values_alike
from semaniacs.features.measures.numerals import may_be_number
from semaniacs.sts.text.analysis import Sentence, analyse, frequency, readings
from semaniacs.sts.text.tokenizer import normalise

SHORT = 3  # letters up to which a misspelling may only trade two letters
LONG = 8  # letters from which two edits are let through
RARER = 20.0  # how much rarer than the word it stands for a misspelled word is
COMMON = 1e-5  # frequency from which a word that no dictionary lists is taken for a word
RAREST_MEANT = 1e-6  # frequency of the rarest word that a misspelled one may stand for

_PRONOUNS = lexicon.words("before a short is")
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?|[^\w\s]|_")
_SHORT_FORMS = lexicon.table("short form")
_ENDINGS = lexicon.table("short ending")
_OPEN_ENDINGS = {"'s": ("is", "has"), "'d": ("would", "had")}
_BRITISH = (
    (re.compile(r"(?<=[a-z]{2})our(?=$|s$|ed$|ing$|er|able|ite|ful|less|hood|ly)"), "or"),
    (re.compile(r"(?<=[a-z]{3})is(?=e$|es$|ed$|er$|ers$|ing$|ation$|ations$)"), "iz"),
    (re.compile(r"(?<=[a-z]{2})ys(?=e$|es$|ed$|ing$)"), "yz"),
    (re.compile(r"(?<=[a-z]{2}[tb])(?<!mb)re(?=$|s$)"), "er"),
    (re.compile(r"(?<=[a-z]{3}[aeiou])ll(?=ed$|ing$|er$|ers$|or$|ors$)"), "l"),
    (re.compile(r"(?<=[a-z]{3})ogue(?=$|s$)"), "og"),
    (re.compile(r"(?<=[dfrp])ae(?=[dm])|^ae(?=s)|(?<=an)ae(?=s)|^oe(?=[sd])"), "e"),
)
_BRITISH_SIGNS = re.compile("our|[iy]s|re|ll|ogue|[ao]e")
"""Letters that every matching word contains."""

_PAIRS = lexicon.table("American spelling")


class Token(NamedTuple):
    """A word or a mark of a text: as it stands, lower-cased, and from where to where."""

    text: str
    low: str
    begin: int
    end: int


Change = tuple[int, int, str]  # from where to where a text is to be replaced, and by what


@lru_cache(maxsize=1 << 16)
def folded(word: str) -> str:
    """The word without case and marks on letters: "Straße" is "strasse", "Café" "cafe"."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in parts if not unicodedata.combining(c)) or word.casefold()


def respell(left: str, right: str) -> tuple[str, str]:
    """Both sentences with one spelling for each word that they spell in two ways.

    Of two spellings the commoner is taken; "can't" is written out where the other side does so.
    Sentences that share their spelling come back as they are.
    """
    if not _may_differ(left, right):
        return left, right
    sides = _tokens(left), _tokens(right)
    left, right = (
        _replaced(text, [*_written_out(own, other), *_joined(own, other), *_parted(own, other)])
        for text, own, other in ((left, *sides), (right, *sides[::-1]))
    )
    sides = _tokens(left), _tokens(right)
    spelling = dict(_spellings(_lone(*sides), _lone(*sides[::-1])))
    if not spelling:
        return left, right
    left, right = (
        _replaced(
            text,
            [(t.begin, t.end, _in_case(t.text, spelling[t.low])) for t in own if t.low in spelling],
        )
        for text, own in zip((left, right), sides, strict=True)
    )
    return left, right


def _may_differ(left: str, right: str) -> bool:
    """Whether both sides have words of their own that may be one word, by quick tests."""
    (tokens, mine), (others, theirs) = _outline(left), _outline(right)
    lone_left, lone_right = mine - theirs, theirs - mine
    if not lone_left or not lone_right:
        return False
    odd_left, odd_right = (set(filter(is_suspicious, lone)) for lone in (lone_left, lone_right))
    return (
        _may_be_written_out(odd_left, others)
        or _may_be_written_out(odd_right, tokens)
        or _may_join(tokens, lone_right)
        or _may_join(others, lone_left)
        or any(_may_be_one(a, b) for a in odd_left for b in lone_right)
        or any(_may_be_one(a, b) for b in odd_right for a in lone_left)
    )


@lru_cache(maxsize=1 << 16)
def _outline(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    found = _TOKEN.findall(text.lower()) if text.isascii() else [t.low for t in _tokens(text)]
    return tuple(found), frozenset(word for word in found if word[0].isalpha())


def _may_be_written_out(lone: set[str], others: tuple[str, ...]) -> bool:
    longs = [long.split() for word in lone for long in long_forms(word)]
    return bool(longs) and any(map(_spoken(others).issuperset, longs))


def _spoken(words: Iterable[str]) -> set[str]:
    found = set(words)
    return found.union(*(long.split() for word in found for long in long_forms(word)))


def _may_join(tokens: tuple[str, ...], wholes: frozenset[str]) -> bool:
    """Whether two neighbours, with a hyphen between them or not, are written like a whole word."""
    if not wholes.isdisjoint(map(add, tokens, tokens[1:])):
        return True
    return "-" in tokens and not wholes.isdisjoint(map(add, tokens, tokens[2:]))


def _may_be_one(a: str, b: str) -> bool:
    if not _look_alike(a, b):
        return False
    slip = is_listed(a) != is_listed(b) and _within_slips(a, b)
    return slip or folded(american(a)) == folded(american(b))


@lru_cache(maxsize=1 << 16)
def _tokens(text: str) -> tuple[Token, ...]:
    plain = text if text.isascii() else normalise(text)
    text = plain if len(plain) == len(text) else text
    found = _TOKEN.finditer(text)
    return tuple(Token(m[0], m[0].lower(), m.start(), m.end()) for m in found)


def _lone(own: tuple[Token, ...], other: tuple[Token, ...]) -> dict[str, Token]:
    theirs = {token.low for token in other}
    return {t.low: t for t in own if t.low not in theirs and t.low[0].isalpha()}


@lru_cache(maxsize=1 << 17)
def is_suspicious(word: str) -> bool:
    """Whether a word may have another spelling at all."""
    return not word.isascii() or is_short(word) or not is_listed(word) or american(word) != word


@lru_cache(maxsize=1 << 17)
def is_listed(word: str) -> bool:
    """Whether a dictionary lists the word, or it is too common to be a misspelling."""
    return frequency(word) > COMMON or bool(readings(word))


@lru_cache(maxsize=1 << 17)
def american(word: str) -> str:
    """The American spelling of a British word; the word itself if there is none that is known."""
    if word in _PAIRS:
        return _PAIRS[word]
    if not _BRITISH_SIGNS.search(word):
        return word
    for pattern, replacement in _BRITISH:
        changed = pattern.sub(replacement, word)
        if changed != word and is_listed(changed):
            return changed
    return word


def _written_out(own: tuple[Token, ...], other: tuple[Token, ...]) -> Iterator[Change]:
    """The short forms of one side whose words, or another short form of them, the other has."""
    theirs = {token.low for token in other}
    spoken = _spoken(theirs)
    for token in own:
        if token.low in theirs:
            continue
        for long in long_forms(token.low):
            if all(word in spoken for word in long.split()):
                yield token.begin, token.end, _in_case(token.text, long)
                break


def is_short(word: str) -> bool:
    """Whether a word may be a short form of others."""
    return word in _SHORT_FORMS or "'" in word


@lru_cache(maxsize=1 << 16)
def long_forms(word: str) -> tuple[str, ...]:
    """Return the long forms of a short form; nothing for other words."""
    if word in _SHORT_FORMS:
        return (_SHORT_FORMS[word],)
    if "'" not in word:
        return ()
    for ending, long in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return (f"{word.removesuffix(ending)} {long}",)
    stem, mark, ending = word.rpartition("'")
    if mark and stem in _PRONOUNS and mark + ending in _OPEN_ENDINGS:
        return tuple(f"{stem} {long}" for long in _OPEN_ENDINGS[mark + ending])
    return ()


def _joined(own: tuple[Token, ...], other: tuple[Token, ...]) -> Iterator[Change]:
    """ "ice cream" and "e-mail" where the other side has "icecream" and "email"."""
    theirs = {token.low for token in other} - {token.low for token in own}
    for first, last in _neighbours(own):
        whole = first.low + last.low
        if whole in theirs and is_listed(whole):
            yield first.begin, last.end, _in_case(first.text, whole)


def _parted(own: tuple[Token, ...], other: tuple[Token, ...]) -> Iterator[Change]:
    """ "guncontrol", which no dictionary lists, where the other side has "gun control"."""
    theirs = {a.low + b.low: f"{a.low} {b.low}" for a, b in _neighbours(other)}
    for token in own:
        if token.low in theirs and not is_listed(token.low):
            yield token.begin, token.end, _in_case(token.text, theirs[token.low])


def _neighbours(tokens: tuple[Token, ...]) -> Iterator[tuple[Token, Token]]:
    for place, first in enumerate(tokens[:-1]):
        hyphen = tokens[place + 1].text == "-" and place + 2 < len(tokens)
        last = tokens[place + 1 + hyphen]
        whole = first.low + last.low
        known = whole in _SHORT_FORMS or first.low in ("a", "an")
        if whole.isalpha() and len(whole) > SHORT and not known:
            yield first, last


def _spellings(left: dict[str, Token], right: dict[str, Token]) -> Iterator[tuple[str, str]]:
    for a in left.values():
        for b in right.values():
            chosen = _common_spelling(a, b) if _look_alike(a.low, b.low) else None
            if chosen:
                yield from ((word, chosen) for word in (a.low, b.low) if word != chosen)
                break


def _look_alike(a: str, b: str) -> bool:
    if not (a.isascii() and b.isascii()):
        return True
    near = abs(len(a) - len(b)) <= 2 and (a[0] == b[0] or a[1:2] == b[0] or b[1:2] == a[0])
    return near and (is_suspicious(a) or is_suspicious(b))


def _common_spelling(a: Token, b: Token) -> str | None:
    """The spelling that two words share: the commoner of the two; None if they are two words."""
    rare, known = sorted((a, b), key=lambda t: (frequency(t.low), t.low))
    plain = folded(american(a.low)) == folded(american(b.low))
    return known.low if plain or _misspelled(rare, known) else None


def _misspelled(rare: Token, known: Token) -> bool:
    """Whether a word that no dictionary lists is a known word but for a slip."""
    word, meant = rare.low, known.low
    if not (word.isalpha() and meant.isalpha()) or is_listed(word) or not is_listed(meant):
        return False
    if rare.text[0].isupper() and rare.begin and frequency(word):
        return False  # a name that is known
    often, seldom = frequency(meant), frequency(word)
    plural = meant.removesuffix("s") == word or word.removesuffix("s") == meant
    if plural or often < max(RARER * seldom, RAREST_MEANT):
        return False
    return _within_slips(word, meant)


def _within_slips(word: str, meant: str) -> bool:
    traded = sorted(word) == sorted(meant)
    longer = word.startswith(meant) or meant.startswith(word)
    if min(len(word), len(meant)) <= SHORT and not (traded and len(word) > 2):
        return False
    if word[0] != meant[0] and not traded:
        return False
    edits = 2 if min(len(word), len(meant)) >= LONG and not longer else 1
    return bool(OSA.distance(word, meant, score_cutoff=edits) <= edits)


def _in_case(text: str, word: str) -> str:
    return word[0].upper() + word[1:] if text[0].isupper() else word


def _replaced(text: str, changes: list[Change]) -> str:
    pieces, done = [], 0
    for begin, end, word in sorted(changes):
        if begin >= done:
            pieces += [text[done:begin], word]
            done = end
    return "".join((*pieces, text[done:]))


Sides = tuple[Sentence, Sentence]
Texts = tuple[str, str]


def written_alike(batch: Batch) -> Batch:
    """Return the pairs with one spelling and one writing of amounts; the batch itself if all have."""
    sides = list(zip(batch.left, batch.right, strict=True))
    changed = _rewrite(sides, range(len(sides)), lambda a, b: respell(a.text, b.text))
    changed += _rewrite(sides, _counting(sides), values_alike)
    if not changed:
        return batch
    left, right = zip(*sides, strict=True)
    return Batch(left, right, batch.resources)


def _counting(sides: Sequence[Sides]) -> list[int]:
    numbers = set(filter(may_be_number, set().union(*(s.tokens for pair in sides for s in pair))))
    return [
        place
        for place, (a, b) in enumerate(sides)
        if not (numbers.isdisjoint(a.tokens) or numbers.isdisjoint(b.tokens))
    ]


def _rewrite(
    sides: list[Sides], places: Iterable[int], rewrite: Callable[[Sentence, Sentence], Texts]
) -> int:
    """Rewrite the pairs in these places, but for long texts; how many were."""
    found = {}
    for place in places:
        a, b = sides[place]
        texts = rewrite(a, b) if max(len(a.text), len(b.text)) <= LONGEST_TEXT else None
        if texts and texts != (a.text, b.text):
            found[place] = texts
    analysed = analyse(text for texts in found.values() for text in texts)
    for place, (one, other) in found.items():
        sides[place] = analysed[one], analysed[other]
    return len(found)
