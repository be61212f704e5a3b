"""Part-of-speech tags with common errors of the tagger mended: verbs taken for nouns, and the reverse."""

from __future__ import annotations

from collections.abc import Sequence

from semaniacs.features import lexicon
from semaniacs.sts.text.analysis import Sentence, readings

_BE = lexicon.words("be")
_MARKERS = lexicon.words("marker")  # words that can open a clause
_MONTHS = frozenset(lexicon.table("short day or month").values())
_NOUNS = frozenset(("NN", "NNS", "NNP", "NNPS", "CD", "FW"))


def retag(words: Sequence[str], tags: Sequence[str]) -> list[str]:
    """Return the tags of lower-cased words, mended."""
    mended = list(tags)
    for i in range(len(words)):
        mended[i] = _mended(words, tags, mended, i)
    if not any(tag[:1] in "VM" for tag in mended):
        _find_verb(words, mended)
    return mended


def _mended(words: Sequence[str], tags: Sequence[str], mended: Sequence[str], i: int) -> str:
    word, tag, before = words[i], tags[i], mended[i - 1] if i else ""
    if word in ("will", "'ll", "'d", "ca", "wo"):
        return "MD"
    if word in _BE and word != "'s":
        return "VBD" if word.startswith("w") else "VBZ"
    if tag == "NN" and word.endswith("ly") and "ADV" in readings(word):
        return "RB"
    if tag in ("VB", "VBP", "VBZ") and before in ("DT", "PRP$", "POS"):
        return "NN" if "NOUN" in readings(word) else tag
    if tag in ("NN", "NNS", "JJ", "NNP") and i and "VERB" in readings(word):
        return _as_verb(words, tags, before, i)
    return tag


def _as_verb(words: Sequence[str], tags: Sequence[str], before: str, i: int) -> str:
    if before == "MD":
        return "VB"
    after = tags[i + 1] if i + 1 < len(tags) else ""
    opens = after in ("DT", "PRP", "PRP$")
    if words[i - 1] in _BE and words[i].endswith("ing") and opens:
        return "VBG"
    opens = opens or (after == "TO" and _is_infinitive(tags, i + 1))
    relative = words[i - 1] in ("that", "who", "which") and i > 1
    noun = before in _NOUNS and words[i - 1] not in _MONTHS
    if (before == "PRP" and _is_subject(words, i - 1)) or (opens and (relative or noun)):
        return "VBZ" if tags[i] == "NNS" else "VBD"
    return tags[i]


def _is_subject(words: Sequence[str], i: int) -> bool:
    """Whether a pronoun can only be a subject, by its form or because it opens a clause."""
    plain = words[i] in ("i", "he", "she", "we", "they")
    return plain or i == 0 or words[i - 1] in _MARKERS or words[i - 1] in (",", "and", "but")


def _is_infinitive(tags: Sequence[str], i: int) -> bool:
    """Whether a verb follows "to" at a place, be it after an adverb."""
    for k in range(i + 1, min(i + 3, len(tags))):
        if tags[k] == "VB" or tags[k] == "VBP":
            return True
        if tags[k] != "RB":
            return False
    return False


def _find_verb(words: Sequence[str], tags: list[str]) -> None:
    for i in range(1, len(words) - 1):
        can = tags[i] in ("NN", "NNS") and "VERB" in readings(words[i])
        if can and tags[i - 1] in _NOUNS and tags[i + 1][:1] in "NDPJC" and tags[i + 1] != "POS":
            tags[i] = "VBP"
            return


_BEFORE_LEFT = lexicon.words("before the side left")


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
