"""Paraphrases beside what becomes of them by a change that turns their meaning.

A change trades words, exchanges a word or a value, or puts a *not* in or takes it out. Both sides of a
paraphrase are beside its changed left side, so that other words for the same thing rank above nearly
the same words for another.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from research.contrast import value_pairs
from research.contrast.other_words import OtherWords
from research.contrast.several_languages import denied
from research.contrast.sources import Labelled
from semaniacs.embeddings.training.corpora import distinct, read_corpus, without
from semaniacs.sts.partial_paraphrases.partial import multi_swap

PARAPHRASES = {
    "quora-duplicates": 6_000, "asset": 2_200, "msrp-positives": 700, "twitter-url": 700,
}  # fmt: skip
"""Paraphrases that are taken of each file."""

SAME, OTHER = 0.92, 0.08
"""Targets, less sure than those of labels: not every change turns the meaning."""

LONGEST = 200
"""Characters of a sentence beyond which it is left out."""


class Changes:
    """Draws changes of sentences."""

    def __init__(self, seed: int) -> None:
        self.rng, self.words = random.Random(seed), OtherWords()
        self.rewriters = [*value_pairs.REWRITERS.values()]

    def of(self, text: str) -> str | None:
        """Return a sentence after one change; None if none fits."""
        made = (make(text, self.rng) for make in self.rewriters)
        values = [other for group in made if group for other in group.different]
        traded = multi_swap("", text, text, seed=self.rng.randrange(2**31))
        found = [denied(text), self.words.exchanged(text, self.rng)]
        found += [self.rng.choice(values)] if values else []
        found += [traded.pairs[1].left] if traded else []
        fit = [other for other in found if other and other != text]
        return self.rng.choice(fit) if fit else None


def changed_paraphrases(data: Path, held_out: Collection[str], seed: int) -> Iterator[Labelled]:
    """Yield the three pairs of each paraphrase that can be changed."""
    rng, changes = np.random.default_rng(seed), Changes(seed)
    for name, most in PARAPHRASES.items():
        corpus = distinct(without(read_corpus(data / "paraphrases" / f"{name}.tsv.gz"), held_out))
        fit = [pair for pair in corpus if max(map(len, pair)) <= LONGEST]
        for place in rng.permutation(len(fit))[:most].tolist():
            left, right = fit[place]
            if changed := changes.of(left):
                yield Labelled(left, right, SAME, name)
                yield Labelled(left, changed, OTHER, name)
                yield Labelled(right, changed, OTHER, name)
