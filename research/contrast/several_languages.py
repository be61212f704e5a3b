"""Labelled pairs in several languages that look alike, for the reader of several languages.

A translation in a bitext means the same as its English side, and something else than that side after
words traded places, a word or a value was exchanged, or a *not* came or went. Labelled English pairs have one side,
or both, put into Spanish by Apertium.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np

from research.contrast.other_words import OtherWords
from research.contrast.sources import OTHER, SAME, Labelled, labelled_paws
from research.contrast.value_rewriters import REWRITERS
from research.graded_pairs import read_translated
from semaniacs.embeddings.training.corpora import read_corpus
from semaniacs.runs.pipeline.tuning.held_out import held_out_sentences
from semaniacs.sts.data.catalog import PAWS_WIKI_TEST
from semaniacs.sts.partial_paraphrases.partial import multi_swap
from semaniacs.sts.translation.apertium import Apertium

IN_SPANISH = 0.4
"""Share of the English pairs that are put into Spanish: the left side, the right one, or both."""

TIMES = 2
"""How often each pair of PAWS-Wiki is learned from."""

SWAPPED = "paws/wiki-swap-train-positives.tsv.gz"

_VERB = re.compile(r"\b(is|are|was|were|can|could|will|would|has|had|must|should)\b(?! not)")
_NOT = re.compile(r" not\b|n't\b")


def denied(text: str) -> str | None:
    """Return a sentence without its *not*, or with one behind its only auxiliary; None if it has none."""
    text = text.replace("can't", "can not").replace("won't", "will not")
    if _NOT.search(text):
        return _NOT.sub("", text, count=1)
    return _VERB.sub(r"\1 not", text) if len(_VERB.findall(text)) == 1 else None


def of_bitext(folder: Path, held_out: Collection[str], seed: int) -> Iterator[Labelled]:
    """Yield a translation beside its English side, and beside that side with another meaning."""
    rng, words = random.Random(seed), OtherWords()
    for english, (code, text) in read_translated(folder, held_out, np.random.default_rng(seed)):
        rewritten = [group for make in REWRITERS.values() if (group := make(english, rng))]
        values = [other for group in rewritten for other in group.different]
        traded = multi_swap("", english, english, seed=rng.randrange(2**31))
        others = [rng.choice(values)] if values else []
        if traded and not traded.pairs[1].flags:
            others.append(traded.pairs[1].left)
        others += filter(None, (denied(english), words.exchanged(english, rng)))
        if not others:
            continue
        tag, same = f"bitext:{code}", [other for group in rewritten for other in group.same]
        yield Labelled(text, rng.choice([english, *same]), SAME, tag)
        yield Labelled(text, rng.choice(others), OTHER, tag)


def pairs_from(english: Sequence[Labelled], data: Path, share: float, seed: int) -> list[Labelled]:
    """Return English pairs, some of them in Spanish, and a share of those of bitext and PAWS-Wiki.

    PAWS-Wiki's development set, from which PAWS-X comes, is taken out.
    """
    rng, others = np.random.default_rng(seed), [pair for pair in english if pair.tag != "paws"]
    held_out = held_out_sentences(data / "sts", data / "bitext")
    more = [*of_bitext(data / "bitext", held_out, seed), *of_paws(data) * TIMES]
    chosen = rng.permutation(len(more))[: round(share * len(more))].tolist()
    return [*in_spanish(others, IN_SPANISH, rng), *(more[place] for place in chosen)]


def of_paws(data: Path) -> list[Labelled]:
    """Return the pairs of PAWS-Wiki that share no sentence with PAWS-X."""
    positives = [Labelled(*pair, SAME, "paws") for pair in read_corpus(data / SWAPPED)]
    return labelled_paws(PAWS_WIKI_TEST, data) + positives


def in_spanish(pairs: Sequence[Labelled], share: float, rng: np.random.Generator) -> list[Labelled]:
    """Return the pairs, of a share of which one side, or both, are in Spanish."""
    draws = rng.random(len(pairs)) / share
    sides = [(draw < 2 / 3, 1 / 3 <= draw < 1) for draw in draws]
    texts = {
        text: ""
        for pair, chosen in zip(pairs, sides, strict=True)
        for text, put in zip(pair[:2], chosen, strict=True)
        if put
    }
    made = Apertium().translate([*texts], "en", "es")
    texts = {text: found.text for text, found in zip(texts, made, strict=True)}
    return [
        pair._replace(
            left=texts[pair.left] if left else pair.left,
            right=texts[pair.right] if right else pair.right,
        )
        for pair, (left, right) in zip(pairs, sides, strict=True)
    ]
