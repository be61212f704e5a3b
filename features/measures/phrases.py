"""Noun phrases, verb groups and what stands between them, after Abney (1991), Parsing by Chunks.

Rules over parts of speech and lemmas, no parser: short plain sentences are read well, long ones in
part. What cannot be read gives no relation, and no conflict.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from semaniacs.features import lexicon
from semaniacs.features.batch import LONGEST
from semaniacs.sts.text.analysis import Sentence, is_irregular_participle, lemma, readings

PRONOUNS = lexicon.words("pronoun")
_SAME_PERSON = lexicon.table("same person")
WH = frozenset("who whom which what whose".split())
AUXILIARIES = frozenset("be have do get".split())
MODALS = lexicon.words("modal")
BE = lexicon.words("be")
PREPOSITIONS = lexicon.words("preposition")
MARKERS = lexicon.words("marker")  # words that can open a clause
# markers of several words, and the one they are read as
_OF_SEVERAL = {tuple(w.split()): one for w, one in lexicon.rows("marker of several words")}
_SAME_MARKER = {"though": "although", "once": "after", "till": "until", "whenever": "if"}
_OWNER_PRONOUNS = lexicon.table("owner")
_DETERMINERS = frozenset(("DT", "PDT", "PRP$", "WP$"))
_INSIDE = frozenset(("JJ", "JJS", "JJR", "NN", "NNS", "NNP", "NNPS", "CD", "FW"))
_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS", "CD", "FW"))
_WEAK = lexicon.words("weak word")  # words that are no part of what a phrase stands for


TO_TWO = lexicon.words("verb with two objects")  # verbs that may have two objects: give Tom a book


class Phrase(NamedTuple):
    """A stretch of a sentence.

    Attributes:
        kind: "noun", "verb", "be", "preposition", "and", "comma", "stop", "marker", "wh",
            "adjective" or "adverb".
        head: lemma of its main word.
        words: lemmas of all words in it that mean something, the head among them.
        modifiers: lemmas of the words that stand before the head of a noun phrase; "to" for an
            infinitive.
        owners: what it belongs to, for a noun phrase with 's; their head is the last.
        passive: for a verb group, whether it is passive; "able" if it may be a participle.
        begin, end: its tokens.
    """

    kind: str
    head: str
    words: frozenset[str]
    modifiers: tuple[str, ...]
    owners: tuple[str, ...]
    passive: bool
    begin: int
    end: int

    @property
    def meaning(self) -> frozenset[str]:
        """The words and the owners: Ann's car, but not my car, which is any speaker's."""
        return self.words.union(self.owners) - _OWNERS if self.owners else self.words


@lru_cache(maxsize=1 << 16)
def parts_of_speech(word: str) -> frozenset[str]:
    """The parts of speech that a lower-cased word can have, in LemmInflect's table."""
    return frozenset(readings(word))


@lru_cache(maxsize=1 << 16)
def _participle(word: str) -> bool:
    return word.endswith("ed") or is_irregular_participle(word)


_OWNERS = frozenset(_OWNER_PRONOUNS.values())
_OPENS_NOUN = _DETERMINERS | _INSIDE | {"PRP", "VBN", "VBG", "EX"}
_LONGEST = {words[0]: (4, 3, 2) for words in _OF_SEVERAL}
_KINDS = (
    dict.fromkeys(PREPOSITIONS, "preposition")
    | dict.fromkeys(MARKERS, "marker")
    | dict.fromkeys((*WH, "that"), "wh")
    | dict.fromkeys(("and", "or", "but", "&", "nor"), "and")
    | dict.fromkeys((",", "(", ")"), "comma")
    | dict.fromkeys((";", ".", ":", "!", "?"), "stop")
)
"""The kind of a word that is always of one kind."""


def _mended(words: Sequence[str], tags: Sequence[str], mended: Sequence[str], i: int) -> str:
    word, tag, before = words[i], tags[i], mended[i - 1] if i else ""
    if word in ("will", "'ll", "'d", "ca", "wo"):
        return "MD"
    if word in BE and word != "'s":
        return "VBD" if word.startswith("w") else "VBZ"
    if tag == "NN" and word.endswith("ly") and "ADV" in parts_of_speech(word):
        return "RB"
    if tag in ("VB", "VBP", "VBZ") and before in ("DT", "PRP$", "POS"):
        return "NN" if "NOUN" in parts_of_speech(word) else tag
    if tag in ("NN", "NNS", "JJ", "NNP") and i and "VERB" in parts_of_speech(word):
        return _as_verb(words, tags, before, i)
    return tag


def _as_verb(words: Sequence[str], tags: Sequence[str], before: str, i: int) -> str:
    if before == "MD":
        return "VB"
    after = tags[i + 1] if i + 1 < len(tags) else ""
    opens = after in ("DT", "PRP", "PRP$")
    if words[i - 1] in BE and words[i].endswith("ing") and opens:
        return "VBG"
    opens = opens or (after == "TO" and _is_infinitive(words, tags, i + 1))
    relative = words[i - 1] in ("that", "who", "which") and i > 1
    noun = before in _NOUNS and words[i - 1] not in MONTHS
    if (before == "PRP" and _is_subject(words, i - 1)) or (opens and (relative or noun)):
        return "VBZ" if tags[i] == "NNS" else "VBD"
    return tags[i]


def retag(words: Sequence[str], tags: Sequence[str]) -> list[str]:
    """The tags with common errors of the tagger mended: verbs taken for nouns, and the reverse."""
    mended = list(tags)
    for i in range(len(words)):
        mended[i] = _mended(words, tags, mended, i)
    if not any(tag[:1] in "VM" for tag in mended):
        _find_verb(words, mended)
    return mended


def _is_subject(words: Sequence[str], i: int) -> bool:
    """Whether a pronoun can only be a subject, by its form or because it opens a clause."""
    plain = words[i] in ("i", "he", "she", "we", "they")
    return plain or i == 0 or words[i - 1] in MARKERS or words[i - 1] in (",", "and", "but")


MONTHS = frozenset(lexicon.table("short day or month").values())


def _find_verb(words: Sequence[str], tags: list[str]) -> None:
    for i in range(1, len(words) - 1):
        can = tags[i] in ("NN", "NNS") and "VERB" in parts_of_speech(words[i])
        if can and tags[i - 1] in _NOUNS and tags[i + 1][:1] in "NDPJC" and tags[i + 1] != "POS":
            tags[i] = "VBP"
            return


def _meaning(word: str, tag: str) -> str:
    """The lemma of a word as it is compared: "" if it stands for nothing."""
    if word in PRONOUNS:
        return _SAME_PERSON.get(word, word)
    if tag in _DETERMINERS or tag in ("POS", "MD") or word in _WEAK or not word[:1].isalnum():
        return ""
    return word if tag.startswith("NNP") or tag == "CD" else lemma(word, tag)


@lru_cache(maxsize=1 << 14)
def phrases(sentence: Sentence) -> tuple[Phrase, ...]:
    """The phrases of a sentence, of a long one those of the first ``LONGEST`` tokens, in order."""
    words = [token.lower() for token in sentence.tokens[:LONGEST]]
    tags = retag(words, sentence.tags[:LONGEST])
    found: list[Phrase] = []
    i = 0
    while i < len(words):
        phrase = _next_phrase(words, tags, i, found)
        if phrase is None:
            i += 1
            continue
        found.append(phrase)
        i = phrase.end
    return tuple(found)


def _plain(kind: str, word: str, i: int, head: str | None = None) -> Phrase:
    return Phrase(kind, head or word, frozenset(), (), (), False, i, i + 1)


def _next_phrase(
    words: Sequence[str], tags: Sequence[str], i: int, found: Sequence[Phrase]
) -> Phrase | None:
    mark = _mark(words, tags, i, found)
    if mark:
        return mark
    tag = tags[i]
    if tag[:1] == "V" or tag == "MD" or words[i] == "to":
        starts_noun = tag in ("VBN", "VBG") and i + 1 < len(tags) and tags[i + 1] in _NOUNS
        if not (starts_noun and i and tags[i - 1] in _DETERMINERS):
            return _verb_group(words, tags, i)
    if tag in _OPENS_NOUN:
        before = found[-1] if found else None
        of_two = before is not None and before.head in TO_TWO
        return _noun_phrase(words, tags, i, of_two, before.kind if before else "")
    return _plain("adverb", words[i], i) if tag[:1] == "R" else None


def _mark(
    words: Sequence[str], tags: Sequence[str], i: int, found: Sequence[Phrase]
) -> Phrase | None:
    """The phrase of a token, or of several, that stands between noun phrases and verb groups."""
    word = words[i]
    for many in _LONGEST.get(word, ()):
        marker = _OF_SEVERAL.get(tuple(words[i : i + many]))
        if marker:
            kind = "preposition" if marker == "from" else "marker"
            return _plain(kind, word, i, marker)._replace(end=i + many)
    if word == "following" and (i == 0 or words[i - 1] == ","):
        return _plain("marker", word, i, "after")
    kind = _KINDS.get(word, "")
    if word == "that" and not (tags[i] in ("IN", "WDT") and found and found[-1].kind == "noun"):
        kind = ""
    elif tags[i] in ("WP", "WDT", "WP$"):
        kind = "wh"
    elif word == "to" and _is_infinitive(words, tags, i):
        kind = ""
    return _plain(kind, word, i, _SAME_MARKER.get(word)) if kind else None


def _is_infinitive(words: Sequence[str], tags: Sequence[str], i: int) -> bool:
    for k in range(i + 1, min(i + 3, len(words))):
        if tags[k] == "VB" or tags[k] == "VBP":
            return True
        if tags[k] != "RB":
            return False
    return False


def _verb_group(words: Sequence[str], tags: Sequence[str], i: int) -> Phrase:
    """Auxiliaries, adverbs and the main verb: "has never been seen", "wants to go"."""
    chain: list[int] = []
    end = k = i
    while k < len(words):
        is_verb = tags[k][:1] == "V" or tags[k] == "MD"
        if is_verb:
            if chain and words[k - 1] != "to" and not _helps(words[chain[-1]], tags[k]):
                break
            chain.append(k)
            end = k + 1
        elif words[k] == "to" and chain and _is_infinitive(words, tags, k):
            pass
        elif tags[k][:2] != "RB" and words[k] not in ("not", "n't", "to"):
            break
        k += 1
    if not chain:
        return _plain("adverb", words[i], i)
    main = chain[-1]
    head = "be" if words[main] in BE else lemma(words[main], "VB")
    before = words[chain[-2]] if len(chain) > 1 else ""
    passive = before in BE or before in ("get", "got", "gets", "getting")
    passive = passive and not words[main].endswith("ing") and _participle(words[main])
    lemmas = {lemma(words[c], "VB") for c in chain if words[c] not in MODALS} - AUXILIARIES
    kind = "be" if head == "be" else "verb"
    to = ("to",) if words[i] == "to" else ()
    return Phrase(kind, head, frozenset(lemmas | {head}), to, (), passive, i, max(end, i + 1))


def _helps(word: str, tag: str) -> bool:
    """Whether a verb can stand before another of that tag in one group: has seen, keeps running."""
    verb = lemma(word, "VB")
    going = tag == "VBG" and verb in ("start", "begin", "keep", "stop", "continue", "finish", "go")
    return going or word in BE or word in MODALS or verb in AUXILIARIES


def _noun_phrase(
    words: Sequence[str], tags: Sequence[str], i: int, of_two: bool, before: str
) -> Phrase | None:
    """A noun phrase with its possessor, "Ann's old red car"; None if there is no noun.

    A phrase of adjectives alone is of the kind "adjective". ``of_two`` says that it stands behind a
    verb that may have two objects: a name then ends it, "gave Tom books"; ``before`` is the kind of
    the phrase before it.
    """
    if tags[i] in ("PRP", "EX"):
        head = _meaning(words[i], tags[i])
        return Phrase("noun", head, frozenset((head,)), (), (), False, i, i + 1)
    owners: tuple[str, ...] = ()
    kept: list[tuple[str, str]] = []
    k, seen_noun = i, False
    while k < len(words):
        tag = tags[k]
        if tag in _DETERMINERS:
            if kept or (k > i and tags[k - 1] not in _DETERMINERS):
                break
            if words[k] in _OWNER_PRONOUNS:
                owners = (_OWNER_PRONOUNS[words[k]],)
        elif tag == "POS" or (
            words[k] == "'s" and seen_noun and k + 1 < len(tags) and tags[k + 1] in _INSIDE
        ):
            owners, kept, seen_noun = tuple(w for w, _ in kept if w), [], False
        elif tag in _INSIDE or (tag in ("VBN", "VBG") and not seen_noun):
            named = seen_noun and tags[k - 1] == "NNP"
            if seen_noun and (tag[:2] == "JJ" or words[k] in PREPOSITIONS):
                break
            if named and (tag == "CD" or (of_two and tag != "NNP")):
                break
            kept.append((_meaning(words[k], tag), tag))
            seen_noun = seen_noun or tag in _NOUNS
        elif not (tag == "RB" and not seen_noun and k + 1 < len(tags) and tags[k + 1] == "JJ"):
            break
        k += 1
    if k == i:
        return None
    means = [word for word, _ in kept if word]
    if not means:  # the, or his alone: with her
        head = owners[0] if owners else words[k - 1]
        return Phrase("noun", head, frozenset(owners), (), (), False, i, k)
    noun = seen_noun or tags[i] in _DETERMINERS or before == "preposition"
    kind = "noun" if noun else "adjective"
    return Phrase(kind, means[-1], frozenset(means), tuple(means[:-1]), owners, False, i, k)
