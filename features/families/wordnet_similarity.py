"""Words that mean nearly the same, or the opposite, according to WordNet (Fellbaum, 1998)."""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from semaniacs.embeddings.compiled import kernel
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features.batch import Batch, Column, once, ratio, where_empty
from semaniacs.features.families import TAKELAB
from semaniacs.features.lexicon import Ancestors
from semaniacs.features.registry import columnwise


class Side(NamedTuple):
    """The content lemmas of one side of every pair.

    Attributes:
        lemmas: (n) their numbers in the view.
        steps: the shortest path in WordNet from each to any lemma of the other
            side: 0 to an equal or synonymous one, infinity if there is none.
    """

    lemmas: Ragged
    steps: Column

    def coverage(self, credits: Column, weights: Column) -> Column:
        """(n,) Σ weight · credit / Σ weight over the lemmas of the side; 1 if it has none."""
        lengths = self.lemmas.lengths
        pair = np.repeat(np.arange(len(lengths)), lengths)
        shares = weights[self.lemmas.flat]
        # Added up in the order of the sentence, so that a pair has one value in every file.
        given, total = (
            np.bincount(pair, values, minlength=len(lengths))
            for values in (shares * credits, shares)
        )
        return ratio(given, total, otherwise=1.0)


@once
def sides(batch: Batch) -> tuple[Side, Side]:
    """The left and the right sides of all pairs."""
    view, wordnet = batch.view("lemmas"), batch.resources.wordnet
    left, right = (view.sequences.take(side) for side in batch.pairs)
    above = wordnet.ancestors(wordnet.rows(view.words))
    return (
        Side(left, _steps_between(left, right, above, wordnet.root)),
        Side(right, _steps_between(right, left, above, wordnet.root)),
    )


def _steps_between(mine: Ragged, others: Ragged, above: Ancestors, root: int) -> Column:
    nearest, fewest = np.full(len(mine.flat), np.inf), np.full(root + 1, np.inf, np.float32)
    _nearest(*mine, *others, *above, fewest, nearest)
    return nearest


def match(batch: Batch, credit: Callable[[Column], Column], by_information: bool) -> Column:
    """Harmonic mean of both sides' coverage; 1 if a side has no content word (TakeLab).

    Args:
        credit: what a lemma so many steps away from the other side is worth.
        by_information: whether a lemma weighs its information content in nats; otherwise 1.
    """
    lemmas = batch.view("lemmas").words
    weights = batch.information("lemmas") if by_information else np.ones(len(lemmas))
    left, right = sides(batch)
    a, b = (side.coverage(credit(side.steps), weights) for side in (left, right))
    sizes = left.lemmas.lengths, right.lemmas.lengths
    return where_empty(ratio(2 * a * b, a + b), *sizes, neither=1.0, one=1.0)


def path_similarity(steps: Column) -> Column:
    """1 / (1 + steps): 1 for a synonym, 0 where no path leads."""
    return 1.0 / (1.0 + steps)


def is_synonym(steps: Column) -> Column:
    """Return 1 for an equal or synonymous lemma, else 0."""
    return (steps == 0).astype(np.float64)


for _name, _source, _credit, _by_information in (
    ("wn_sim_match", f"{TAKELAB} f14", path_similarity, False),
    ("wn_weighted_match", f"{TAKELAB} f14 by information", path_similarity, True),
    ("wn_synonyms", "Fellbaum (1998), synsets", is_synonym, False),
):
    columnwise(_name, "wordnet", _source, needs=("wordnet",))(
        partial(match, credit=_credit, by_information=_by_information)
    )


@kernel(nogil=True)
def _nearest(mine, offsets, others, other_offsets, nodes, steps, begins, fewest, nearest):
    """Fill in the steps from each of ``mine`` to the nearest of the same pair's ``others``.

    A shortest path leads up to a common ancestor and down again: the fewest steps from the others
    to each of their ancestors are laid out in ``fewest``, which is infinite before and after.
    """
    for pair in range(len(offsets) - 1):
        first, last = other_offsets[pair], other_offsets[pair + 1]
        for place in range(first, last):
            for i in range(begins[others[place]], begins[others[place] + 1]):
                fewest[nodes[i]] = min(fewest[nodes[i]], steps[i])
        for place in range(offsets[pair], offsets[pair + 1]):
            word = mine[place]
            if _among(word, others, first, last):  # which WordNet may not list
                nearest[place] = 0.0
                continue
            for i in range(begins[word], begins[word + 1]):
                nearest[place] = min(nearest[place], fewest[nodes[i]] + steps[i])
        for place in range(first, last):
            for i in range(begins[others[place]], begins[others[place] + 1]):
                fewest[nodes[i]] = np.inf


@kernel(nogil=True)
def _among(number, numbers, first, last):
    for place in range(first, last):  # noqa: SIM110 (any() is not compiled)
        if numbers[place] == number:
            return True
    return False
