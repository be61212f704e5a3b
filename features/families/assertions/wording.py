"""The tokens of a sentence with contractions, idioms of denial and of exception in one wording.

"can't", "cannot" and "cant" become "can not"; "not only" says nothing; "no one but" and "nothing
but" become "only", "everyone except" becomes "all except", "unable to" becomes "fail to".
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from features.batch import LONGEST
from sts.text.analysis import Sentence


class Token(NamedTuple):
    """A lower-cased token with its part-of-speech tag, after rewriting."""

    word: str
    tag: str


_TAGS = {"not": "RB", "only": "RB", "all": "DT", "can": "MD", "fail": "VB", "to": "TO"}

_PERSON = "no-one nobody noone none no-body"
_EXCEPT = ("except", "but", "save", "besides", "excepting", "bar", "other than", "apart from",
           "aside from", "except for", "with the exception of", "excluding", "not counting")  # fmt: skip

_IDIOMS = {
    "no one": "nobody", "no - one": "nobody", "not one": "no", "not a single": "no",
    "not a": "not a", "no body": "nobody",
    "not only": "", "not just": "", "not merely": "", "not simply": "", "not solely": "",
    "not to mention": "and", "not least": "", "no doubt": "", "without a doubt": "",
    "without doubt": "", "without question": "", "without fail": "always", "no wonder": "",
    "no matter": "whatever", "whether or not": "whether", "or not": "", "if not": "or",
    "no sooner": "", "no problem": "easily", "not bad": "good", "not too bad": "good",
    "not far from": "near", "not far": "near", "nothing short of": "", "no less": "",
    "no later than": "by", "not later than": "by", "no time": "quickly",
    "no fewer than": "at least", "no less than": "at least", "not less than": "at least",
    "not fewer than": "at least", "no more than": "at most", "not more than": "at most",
    "a minimum of": "at least", "a maximum of": "at most", "up to": "at most",
    "no longer": "not", "not any longer": "not", "not anymore": "not", "any longer": "",
    "any more": "", "anymore": "", "not at all": "not", "at all": "", "not yet": "not",
    "not quite": "not", "not exactly": "not", "not really": "not", "not even": "not",
    "by no means": "not", "in no way": "not", "under no circumstances": "never",
    "on no account": "never", "at no time": "never", "at no point": "never", "not ever": "never",
    "not once": "never", "hardly ever": "rarely", "scarcely ever": "rarely",
    "almost never": "rarely", "hardly anyone": "few people", "hardly anybody": "few people", "hardly any": "few", "scarcely any": "few", "barely any": "few",
    "almost no": "few", "very few": "few", "only a few": "few", "only a little": "little",
    "virtually no": "few", "next to nothing": "little", "all the time": "always",
    "every time": "always", "at all times": "always", "most of the time": "usually",
    "anything but": "not", "the absence of": "without", "absence of": "without",
    "a lack of": "without", "the lack of": "without", "lack of": "without",
    "devoid of": "without", "free of": "without", "free from": "without",
    "ran out of": "lack", "run out of": "lack", "running out of": "lack",
    "unable to": "fail to", "not able to": "fail to", "incapable of": "fail to",
    "able to": "manage to", "capable of": "manage to", "impossible to": "fail to",
    "can not help but": "", "can not help": "", "could not help but": "", "could not help": "",
    "can not but": "", "can not wait to": "want to", "could not wait to": "want to",
    "could not agree more": "agree", "can not agree more": "agree", "could not be more": "be very",
    "could not have been more": "be very", "can not stand": "hate", "could not stand": "hate",
    "could not care less": "do not care", "gave up": "stop", "give up": "stop",
    "gives up": "stop", "given up": "stop", "giving up": "stop", "in spite of": "although",
    "the case that": "true that", "out of the question": "impossible",
    "nothing but": "only", "none other than": "only", "none but": "only", "nothing except": "only",
    "go up": "rise", "goes up": "rise", "went up": "rise", "gone up": "rise", "going up": "rise",
    "go down": "fall", "goes down": "fall", "went down": "fall", "gone down": "fall",
    "going down": "fall", "turned down": "reject", "turn down": "reject", "turns down": "reject",
    "as well as": "and", "instead of": "without", "rather than": "without", "as opposed to": "without",
    "absent of": "without", "in the absence of": "without", "minus": "without", "why not": "", "why do not": "let",
    "is not it": "", "are not they": "", "is not he": "", "is not she": "", "do not you": "",
    "does not it": "", "did not he": "", "did not she": "", "did not they": "",
    "opposite of": "not", "the opposite of": "not", "false that": "not true that",
    "untrue that": "not true that", "a lie that": "not true that", "far from being": "not",
}  # fmt: skip
RUMOURED = ("said", "believed", "thought", "reported", "rumored", "rumoured", "alleged")
"""What is no more than alleged: "is said to"."""

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

CONTRACTED = {
    "n't": ("not",), "cannot": ("can", "not"), "cant": ("can", "not"), "dont": ("do", "not"),
    "doesnt": ("does", "not"), "didnt": ("did", "not"), "isnt": ("is", "not"),
    "wasnt": ("was", "not"), "arent": ("are", "not"), "werent": ("were", "not"),
    "wont": ("will", "not"), "wouldnt": ("would", "not"), "couldnt": ("could", "not"),
    "shouldnt": ("should", "not"), "hasnt": ("has", "not"), "havent": ("have", "not"),
    "hadnt": ("had", "not"), "aint": ("is", "not"), "mustnt": ("must", "not"), "nt": ("not",),
}  # fmt: skip
_BEFORE_LIKE = frozenset("not to do does did would i you we they".split())
BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}

_BY_FIRST: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {"far": []}
for _idiom, _meaning in sorted(_IDIOMS.items(), key=lambda item: -len(item[0].split())):
    _words = tuple(_idiom.split())
    _BY_FIRST.setdefault(_words[0], []).append((_words, tuple(_meaning.split())))

_LONGEST_IDIOM = max(len(idiom.split()) for idiom in _IDIOMS)

FINITE = frozenset("is are was were am be been being do does did has have had will would can could "
                   "shall should may might must 's 're 've 'd 'm 'll".split())  # fmt: skip


@lru_cache(maxsize=1 << 16)
def reworded(sentence: Sentence) -> tuple[Token, ...]:
    """The first ``LONGEST`` tokens of a sentence, lower-cased, idioms of denial rewritten."""
    tagged = sentence.tokens[:LONGEST], sentence.tags[:LONGEST]
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
