"""Sentences with one word exchanged for another that is used alike and means something else.

That is an opposite, or a member of the same group (red, blue), of those that the features know; or
one of the word's neighbours in the bundled vectors with its part of speech and inflection: Madrid and
Barcelona. Neighbours that WordNet has as synonyms, or one above the other, and those of the same stem,
are left out.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict

import numpy as np

from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.loading import load_static
from semaniacs.features import lexicon
from semaniacs.sts.text.analysis import frequency, lemma, listed_tag

KINDS = ("NN", "VB", "JJ", "CD", "DT", "RB")
"""Beginnings of the tags of words whose neighbours are taken."""

LEFT_OUT = frozenset("be have do will would get the this that not".split())
"""Words that stay, by their lemmas."""

RAREST, STEM = 2e-6, 4
"""Frequency of the words that are put in, and letters of a common beginning that make one stem."""

NEAREST, LOWEST = 10, 0.3
"""A word is exchanged for one of its ten nearest, whose cosine is this at least."""

OPPOSITE = 0.6
"""Share of the sentences with an opposite in which that is put in."""

SMALL = (
    ("before", "after"), ("with", "without"), ("all every each both", "no some"), ("always", "never"),
    ("more", "less"), ("above over", "below under"), ("to", "from"), ("least", "most"), ("must", "may"),
    ("will", "may"), ("everyone everybody", "nobody"), ("everything", "nothing"), ("first", "last"),
)  # fmt: skip
"""Small words that stand against each other."""

_WORD = re.compile(r"[^\W\d_]+")


class OtherWords:
    """Finds the words that may be put in the place of a word, and keeps them."""

    def __init__(self) -> None:
        encoder, self.net = load_static(), lexicon.WordNet()
        common = [word for word in encoder.tokenizer.rows if frequency(word) >= RAREST]
        self.words = [word for word in common if _WORD.fullmatch(word) and tag_of(word)]
        self.place = {word: number for number, word in enumerate(self.words)}
        self.vectors = unit(encoder.encode(self.words))
        self.forms = {(lemma(w, tag_of(w)), tag_of(w)): w for w in reversed(self.words)}
        self.against = opposites()
        self.found: dict[str, tuple[list[str], list[str]]] = {}

    def exchanged(self, text: str, rng: random.Random) -> str | None:
        """Return a sentence with one of its words exchanged; None if no word can be."""
        words = [(word, *self.others(word[0].lower())) for word in _WORD.finditer(text)]
        opposed = [(word, others) for word, others, _ in words if others]
        near = [(word, others) for word, _, others in words if others]
        chosen = opposed if opposed and (not near or rng.random() < OPPOSITE) else near
        if not chosen:
            return None
        word, others = rng.choice(chosen)
        other = rng.choice(others)
        other = other.capitalize() if word[0][0].isupper() else other
        return text[: word.start()] + other + text[word.end() :]

    def others(self, word: str) -> tuple[list[str], list[str]]:
        """Return the opposites of a lower-cased word in its form, and neighbours of another meaning."""
        if word not in self.found:
            tag, own = tag_of(word), lemma(word, tag_of(word))
            apart = self.against.get(own, set()) | self.against.get(word, set())
            formed = {self.forms.get((other, tag), "") for other in apart}
            if not tag.startswith("V") and tag != "NNS":
                formed |= apart
            near = self._near(word, tag) if word in self.place and own not in LEFT_OUT else []
            self.found[word] = sorted(formed - {"", word}), near
        return self.found[word]

    def _near(self, word: str, tag: str) -> list[str]:
        if not tag.startswith(KINDS) or len(word) < 3:
            return []
        cosines = self.vectors @ self.vectors[self.place[word]]
        nearest = [self.words[i] for i in np.argsort(-cosines)[1:60] if cosines[i] >= LOWEST]
        fit = (w for w in nearest if tag_of(w) == tag and w[:STEM] != word[:STEM])
        return [other for other in fit if not self._akin(word, other, tag)][:NEAREST]

    def _akin(self, word: str, other: str, tag: str) -> bool:
        """Return whether two words may mean the same, or one is above the other."""
        rows = self.net.rows([lemma(word, tag), lemma(other, tag)])
        (senses, above), (others, higher) = map(self._senses, rows)
        return bool(senses & others or senses & higher or above & others)

    def _senses(self, row: int) -> tuple[set[int], set[int]]:
        """Return the numbers of a lemma's synsets, and of those above them."""
        own = self.net.synsets.take(np.array([row], np.int64)).flat
        above = self.net.hypernyms.take(own.astype(np.int64)).flat
        return {*own.tolist()}, {*above.tolist()}


def opposites() -> dict[str, set[str]]:
    """Return the words that stand against each word of the lexicon's axes and groups, by lemma."""
    found = defaultdict[str, set[str]](set)
    sides = [(one.split(), other.split()) for one, other in lexicon.rows("axis")]
    sides += [(one.split(), other.split()) for one, other in SMALL]
    for line in lexicon.phrases("exclusive group"):
        members = [entry.split("/")[0] for entry in line.split()]
        sides += [([one], [other]) for one in members for other in members if one < other]
    for one, other in sides:
        for word in one:
            found[word].update(other)
        for word in other:
            found[word].update(one)
    return found


def tag_of(word: str) -> str:
    """Return the tag of a lower-cased word, or that of the name it is; "" if it is not listed."""
    return listed_tag(word) or listed_tag(word.capitalize()) or ""
