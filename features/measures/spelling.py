"""Pairs whose sides write the same alike, before they are compared.

One spelling for each word ("recieved", "colour", "café", "e-mail", "can't"), one name for each thing
(lorry or truck, NYC or New York City, München or Munich), and one writing for each amount: beside
"two dogs" "2 dogs" becomes "two dogs". So every feature sees what is the same as the same.

A word of one side is read as a word of the other only where the pair gives cause: it stands on one
side alone, and no dictionary lists it, a rule of spelling explains it, or a table names both, see also
:mod:`.confused_words`. "ML" is machine learning beside these words alone. Texts of more than
``LONGEST_TEXT`` characters stay as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, chain
from operator import add
from typing import NamedTuple

from rapidfuzz.distance import OSA

from semaniacs.features import lexicon
from semaniacs.features.batch import LONGEST_TEXT, Batch
from semaniacs.features.measures.confused_words import MEANT, confused, spell_denials
from semaniacs.features.measures.notations import may_be_value, values_alike
from semaniacs.sts.text.analysis import Sentence, analyse, frequency, readings
from semaniacs.sts.text.signs import without_decoration
from semaniacs.sts.text.tokenizer import normalise

SHORT = 3  # letters up to which a misspelling may only trade two letters
LONG = 8  # letters from which two edits are let through
RARER = 20.0  # how much rarer than the word it stands for a misspelled word is
COMMON = 1e-5  # frequency from which a word that no dictionary lists is taken for a word
RAREST_MEANT = 1e-6  # frequency of the rarest word that a misspelled one may stand for
RAREST_TERM = 5e-8  # frequency of the rarest name or term that letters which are no word stand for
UNHEARD = 100  # how much rarer than a name such letters are
CARELESS = 2  # misspelled words of a pair from which a slip may also have made another word
FAMILIAR = 1e-4  # frequency of the rarest word that a misspelled one of three letters may stand for

_SUBSTANCES = lexicon.words("ending of a substance")
_PRONOUNS = lexicon.words("before a short is")
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?|[^\w\s]|_")
_SHORT_FORMS = lexicon.table("short form")
_ENDINGS = lexicon.table("short ending")
_OPEN_ENDINGS = {"'s": ("is", "has"), "'d": ("would", "had")}
_BRITISH = [(re.compile(ending), ours) for ending, ours in lexicon.rows("British spelling")]
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
    """Both sentences with one spelling, the commoner one, for each word that they spell in two ways."""
    left, right = map(spell_denials, without_decoration(left, right))
    if not _may_differ(left, right):
        return left, right
    for _ in range(2):  # the second text as the first one then is, so that they cannot trade names
        own, other = _tokens(left), _tokens(right)
        changes = [*_written_out(left, right), *_joined(own, other), *_parted(own, other)]
        for at, meant in confused([t.low for t in own], [t.low for t in other]):
            changes.append((own[at].begin, own[at].end, _in_case(own[at].text, meant)))
        left, right = right, _replaced(left, changes)
    sides = _tokens(left), _tokens(right)
    spelling = dict(chain(_spellings(*sides), _spellings(*sides[::-1])))
    if len(spelling) >= CARELESS:
        spelling |= chain(_spellings(*sides, True), _spellings(*sides[::-1], True))
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
    if tokens == others:
        return False
    lone_left, lone_right = mine - theirs, theirs - mine
    odd_left, odd_right = (set(filter(is_suspicious, lone)) for lone in (lone_left, lone_right))
    return (
        not MEANT.keys().isdisjoint(lone_left | lone_right)
        or _may_join(tokens, lone_right)
        or _may_join(others, lone_left)
        or any(_written_out(left, right))
        or any(_written_out(right, left))
        or any(_may_be_one(a, b) for a in odd_left for b in lone_right)
        or any(_may_be_one(b, a) for b in odd_right for a in lone_left)
        or any(_may_be_here(word, others, theirs & mine) for word in odd_left)
        or any(_may_be_here(word, tokens, theirs & mine) for word in odd_right)
    )


@lru_cache(maxsize=1 << 16)
def _outline(text: str) -> tuple[tuple[str, ...], frozenset[str]]:
    found = _TOKEN.findall(text.lower()) if text.isascii() else [t.low for t in _tokens(text)]
    return tuple(found), frozenset(word for word in found if word[0].isalpha())


Stretch = tuple[int, int, Sequence[str]]  # from which word to which, and what else may stand there


@lru_cache(maxsize=1 << 16)
def _stretches(text: str) -> tuple[Stretch, ...]:
    """The short forms and the names in a text that have long forms or other names."""
    (names, lengths), words = lexicon.other_names(), _outline(text)[0]
    found: list[Stretch] = []
    if "'" not in text and lengths.keys().isdisjoint(words) and text.isascii():
        return ()
    words = words if text.isascii() else tuple(map(folded, words))
    for begin in [at for at, word in enumerate(words) if word in lengths or "'" in word]:
        if "'" in words[begin]:
            found.append((begin, begin + 1, long_forms(words[begin])))
        for end in range(begin + 1, begin + 1 + lengths.get(words[begin], 0)):
            name = " ".join(words[begin:end])
            others = names.get(name, [])
            if name.upper() in names and name.upper() in text:
                others = [*others, *names[name.upper()]]
            found += [(begin, end, others)] * (end <= len(words))
    return tuple(stretch for stretch in found if stretch[2])


@lru_cache(maxsize=1 << 16)
def _spoken(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The words of a text, and the long forms and other names that may stand there."""
    others = frozenset(name.lower() for *_, names in _stretches(text) for name in names)
    words = _outline(text)[0]
    return frozenset(words if text.isascii() else map(folded, words)), others


def _may_join(tokens: tuple[str, ...], wholes: frozenset[str]) -> bool:
    """Whether neighbours, with a hyphen between two of them or not, are written like a whole word."""
    beyond = tokens[2:] if "-" in tokens else ()
    return not wholes.isdisjoint([*map(add, tokens, tokens[1:]), *map(add, tokens, beyond)])


def _may_be_here(word: str, others: tuple[str, ...], shared: frozenset[str]) -> bool:
    """Whether a word that no dictionary lists may be several others, or one that both sides have."""
    if is_listed(word):
        return False
    whole = "".join(others) if len(word) > 2 * SHORT else ""
    joined = word in whole.replace("'", "").replace("-", "")
    return joined or any(_may_be_one(word, other) for other in shared)


def _may_be_one(a: str, b: str) -> bool:
    if not _look_alike(a, b):
        return False
    rare, known = sorted((a, b), key=lambda word: (is_listed(word), frequency(word)))
    slip = not is_listed(rare) and _may_be_meant(rare, known, True) and _within_slips(rare, known)
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
    return not word.isascii() or not is_listed(word) or american(word) != word


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


def _written_out(text: str, other: str) -> Iterator[Change]:
    """The short forms and names of a text that the other text has in full or by another name."""
    for begin, end, names in _stretches(text):
        words, others = _spoken(other)
        there = [n for n in names if words.issuperset(n.lower().split())]
        there = [n for n in there if n.islower() or n in other]
        shared = others.intersection(names)
        if not (there or shared):
            continue
        own, theirs = _tokens(text)[begin:end], _tokens(other)
        said = [folded(token.low) for token in own]
        if not words.issuperset(said) and (there or " ".join(said) not in others):
            name = max(there or sorted(shared), key=len).lower()
            written = {
                folded(t.low): t.text if t.begin or t.text.isupper() else t.low for t in theirs
            }
            opens = not own[0].begin or name.split()[0] == folded(theirs[0].low)
            name = " ".join(written.get(word, word) for word in name.split()).replace(" - ", "-")
            yield own[0].begin, own[-1].end, _in_case(own[0].text, name) if opens else name


@lru_cache(maxsize=1 << 16)
def long_forms(word: str) -> tuple[str, ...]:
    """Return the long forms of a word with an apostrophe that no table lists; nothing for others."""
    if "'" not in word or word in _SHORT_FORMS:
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
    said = [token for token in other if token.low[0].isalnum()]
    letters = [token.low.replace("'", "") for token in said]
    whole, starts = "".join(letters), list(accumulate(map(len, letters), initial=0))
    for token in own:
        begin = whole.find(token.low)
        ends = begin, begin + len(token.low)
        if starts.count(ends[0]) and starts.count(ends[1]) and not is_listed(token.low):
            first, *more = said[slice(*map(starts.index, ends))]
            if more and token.low.isalpha():
                words = " ".join((first.low, *(word.text for word in more)))
                yield token.begin, token.end, _in_case(token.text, words)


def _neighbours(tokens: tuple[Token, ...]) -> Iterator[tuple[Token, Token]]:
    for place, first in enumerate(tokens[:-1]):
        hyphen = tokens[place + 1].text == "-" and place + 2 < len(tokens)
        last = tokens[place + 1 + hyphen]
        whole = first.low + last.low
        known = whole in _SHORT_FORMS or first.low in ("a", "an")
        if whole.isalpha() and len(whole) > SHORT and not known:
            yield first, last


def _spellings(
    own: tuple[Token, ...], other: tuple[Token, ...], careless: bool = False
) -> Iterator[tuple[str, str]]:
    lone = _lone(other, own)
    all_others = lone | {token.low: token for token in other}
    for a in _lone(own, other).values():
        for b in (lone if is_listed(a.low) else all_others).values():
            alike = _look_alike(a.low, b.low, careless)
            if chosen := _common_spelling(a, b, careless) if alike else None:
                yield from ((word, chosen) for word in (a.low, b.low) if word != chosen)
                break


def _look_alike(a: str, b: str, careless: bool = False) -> bool:
    if not (a.isascii() and b.isascii()):
        return True
    near = abs(len(a) - len(b)) <= 2 and (a[0] == b[0] or a[1:2] == b[0] or b[1:2] == a[0])
    return near and (careless or is_suspicious(a) or is_suspicious(b))


def _common_spelling(a: Token, b: Token, careless: bool) -> str | None:
    """The spelling that two words share: the commoner of the two; None if they are two words."""
    rare, known = sorted((a, b), key=lambda t: (frequency(t.low), t.low))
    plain = folded(american(a.low)) == folded(american(b.low))
    return known.low if plain or _misspelled(rare, known, careless) else None


def _misspelled(rare: Token, known: Token, careless: bool) -> bool:
    """Whether a word, one that no dictionary lists unless careless, is a known one but for a slip."""
    word, meant = rare.low, known.low
    names = rare.text[0].isupper() and known.text[0].isupper() and len(word) > SHORT + 1
    often = frequency(word) > (frequency(meant) / RARER if names else 0)
    name = rare.text[0].isupper() and rare.begin and often  # one that is known
    if name or not (word + meant).isalpha() or is_listed(word) > careless:
        return False
    plural = meant.removesuffix("s") == word or word.removesuffix("s") == meant
    return not plural and _may_be_meant(word, meant, names) and _within_slips(word, meant)


def _may_be_meant(word: str, meant: str, names: bool) -> bool:
    """Whether a word is common, or a name or term beside letters that nobody writes."""
    often, seldom, unheard = frequency(meant), frequency(word), RARER if names else UNHEARD
    term = (names or len(word) > 2 * SHORT) and often > max(unheard * seldom, RAREST_TERM)
    return term or (is_listed(meant) and often >= max(RARER * seldom, RAREST_MEANT))


def _within_slips(word: str, meant: str) -> bool:
    traded = sorted(word) == sorted(meant)
    longer = word.startswith(meant) or meant.startswith(word)
    plain = traded or (len(word) <= len(meant) and frequency(meant) > FAMILIAR)
    short = min(len(word), len(meant)) <= SHORT and not (plain and len(word) > 2)
    substances = word[:-3] == meant[:-3] and {word[-3:], meant[-3:]} <= _SUBSTANCES
    if short or substances or (word[0] != meant[0] and not traded):
        return False
    edits = 2 if min(len(word), len(meant)) >= LONG and not longer else 1
    return bool(OSA.distance(word, meant, score_cutoff=edits) <= edits)


def _in_case(text: str, word: str) -> str:
    return word[0].upper() + word[1:] if text[0].isupper() else word


def _replaced(text: str, changes: Iterable[Change]) -> str:
    pieces, done = [], 0
    for begin, end, word in sorted(changes, key=lambda change: (change[0], -change[1])):
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
    numbers = set(filter(may_be_value, set().union(*(s.tokens for pair in sides for s in pair))))
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
