"""The tokens of a sentence with contractions, idioms of denial and of exception in one wording.

"can't", "cannot" and "cant" become "can not"; "not only" says nothing; "no one but" and "nothing
but" become "only", "everyone except" becomes "all except", "unable to" becomes "fail to".
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from features import lexicon
from features.batch import LONGEST
from sts.text.analysis import Sentence


class Token(NamedTuple):
    """A lower-cased token with its part-of-speech tag, after rewriting."""

    word: str
    tag: str


_TAGS = {"not": "RB", "only": "RB", "all": "DT", "can": "MD", "fail": "VB", "to": "TO"}

_EXCEPT = lexicon.phrases("except")

_IDIOMS = lexicon.table("idiom")
RUMOURED = lexicon.phrases("rumoured")
"""Phrases of what is only alleged: "is said to"."""

for _verb in RUMOURED:
    for _is in ("is", "are", "was", "were"):
        _IDIOMS[f"{_is} {_verb} to"] = "allegedly"
for _other in _EXCEPT:
    for _nobody in ("nobody", "no one", "nothing", "none", "no - one"):
        _IDIOMS[f"{_nobody} {_other}"] = "only"
        _IDIOMS[f"{_nobody} else {_other}"] = "only"
    for _everybody in ("everyone", "everybody", "all", "everything", "anyone", "anybody"):
        _IDIOMS[f"{_everybody} {_other}"] = "all except"
        _IDIOMS[f"{_everybody} else {_other}"] = "all except"

CONTRACTED = {short: tuple(long.split()) for short, long in lexicon.rows("contraction that denies")}
_BEFORE_LIKE = lexicon.words("before the verb like")
BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}

_BY_FIRST: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {"far": []}
for _idiom, _meaning in sorted(_IDIOMS.items(), key=lambda item: -len(item[0].split())):
    _words = tuple(_idiom.split())
    _BY_FIRST.setdefault(_words[0], []).append((_words, tuple(_meaning.split())))

_LONGEST_IDIOM = max(len(idiom.split()) for idiom in _IDIOMS)

_BEFORE_LEFT = lexicon.words("before the side left")
FINITE = lexicon.words("plain auxiliary") | {"'s"}


@lru_cache(maxsize=1 << 16)
def reworded(sentence: Sentence) -> tuple[Token, ...]:
    """The first ``LONGEST`` tokens of a sentence, lower-cased, idioms of denial rewritten."""
    tagged = sentence.tokens[:LONGEST], corrected_tags(sentence)[:LONGEST]
    spelled = [token for spellings in map(_spelled, *tagged) for token in spellings]
    for place in range(1, len(spelled)):
        before, (word, _) = spelled[place - 1].word, spelled[place]
        if word == "not" and before in BEFORE_NOT:
            spelled[place - 1] = Token(BEFORE_NOT[before], "MD")
        elif word == "like" and before in _BEFORE_LIKE:
            spelled[place] = Token(word, "VB")
    tokens = _without_tag_question(spelled)
    found: list[Token] = []
    place = 0
    while place < len(tokens):
        taken, meaning = _idiom_at(tokens, place) if tokens[place].word in _BY_FIRST else (0, ())
        if taken:
            tag = tokens[place + taken - 1].tag
            found += [Token(word, _TAGS.get(word, tag)) for word in meaning]
            place += taken
        else:
            found.append(tokens[place])
            place += 1
    return tuple(found)


def corrected_tags(sentence: Sentence) -> tuple[str, ...]:
    """Return the tags, with "left" as an adverb after a verb of motion: "turn left"."""
    words = [token.lower() for token in sentence.tokens]
    if "left" not in words:
        return sentence.tags
    tags = list(sentence.tags)
    for place in range(1, len(words)):
        if words[place] == "left" and words[place - 1] in _BEFORE_LEFT:
            tags[place] = "RB"
    return tuple(tags)


@lru_cache(maxsize=1 << 18)
def _spelled(token: str, tag: str) -> tuple[Token, ...]:
    """A token in lower case, a contraction in full, a quotation mark left out."""
    word = token.lower()
    if word in CONTRACTED:
        return tuple(Token(part, _TAGS.get(part, "MD")) for part in CONTRACTED[word])
    return () if word == '"' else (Token(word, tag),)


def _idiom_at(tokens: list[Token], place: int) -> tuple[int, tuple[str, ...]]:
    """How many tokens an idiom that begins here takes, and what it means; (0, ()) if none does."""
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
