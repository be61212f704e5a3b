"""Paraphrase or not: pairs with the same words, often in another order (Zhang et al., 2019).

    semaniacs submit --run paws --task paws-wiki --data DIR
    semaniacs submit --run paws --task paws-x-en --data DIR
    semaniacs submit --run paws-both --task paws-wiki --data DIR

For PAWS-Wiki it learns from the development set; for PAWS-X, whose sentences come from there,
from the test set of PAWS-Wiki. The score is 5 times the probability of a paraphrase. Columns and
trees were chosen on the development set, by folds of pairs without a sentence in common.
``paws-both`` adds a network that learned from many kinds of pairs; their weights are equal, as it
learned from the development set too.
"""

from __future__ import annotations

from semaniacs.features.measures.word_order.kinds import ORDER_COLUMNS
from semaniacs.runs.pipeline.recipe_parts import Classifier, Labelled, ReadTogether, Regressor
from semaniacs.runs.pipeline.run import Mean, Run
from semaniacs.runs.recipes import ensemble2026, hokamp2016

COLUMNS = (
    *(name for name in hokamp2016.COLUMNS if not name.startswith("paraphrase")),
    *ensemble2026.PLAIN,
    "polarity_conflict", "polarity_match", "opposite_words",
    *ORDER_COLUMNS,
)  # fmt: skip
"""Columns of ``fusion`` that need no tuned encoder, then columns of negation and order."""


def label_trees(
    columns: float, *, trees: int = 500, leaf: int = 30, rows: float = 0.6
) -> Classifier:
    """Return boosted trees that learn from labels, by lightgbm.

    Args:
        columns, rows: shares of the columns and of the pairs that each tree sees.
        trees: number of trees.
        leaf: fewest pairs of a leaf.
    """
    boosting = Regressor.of(
        "boosting",
        library="lightgbm",
        objective="logistic",
        n_estimators=trees,
        learning_rate=0.03,
        max_depth=4,
        min_samples_leaf=leaf,
        subsample=rows,
        max_features=columns,
    )
    return Classifier((boosting,))


PAWS = Run(
    "paws",
    "paraphrase or not, learned from labelled pairs with the same words (PAWS-Wiki)",
    columns=COLUMNS,
    head=label_trees(0.2, trees=1000, leaf=20, rows=0.5),
    learns=Labelled(exchanges=10),
    written_alike=True,
)

READER = Run(
    "reader",
    "chance that two sentences mean the same, by a network that reads both together",
    head=ReadTogether(),
)

BOTH = Mean(
    "paws-both",
    "the mean of paws and of reader: paraphrase or not, when the words are the same",
    ((PAWS, 1.0), (READER, 1.0)),
)

RUNS = (PAWS, READER, BOTH)
