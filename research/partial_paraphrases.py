"""Rank partial paraphrases with several scorers: the table of Peng, Weir and Weeds again.

The groups are made from the positive pairs of PAWS-Wiki's test set. "against B" is the paper's:
after one, two and three exchanges B is beside itself, with all its words. "no x and y" skips groups
with an exchange inside a coordination. "back-translated": Apertium translated A into Spanish and
back. "against A" is a control that scorers of word order win. "continued": A goes on with 5, 10 and
15 words. Degrees are numbers of exchanges: nobody judged the sentences. A run that learned from
PAWS-Wiki learned from its development set, which shares no sentence with these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from research.peers import minilm_folder
from research.study import run_study, study
from research.tables import RANKED, ranking_table, write_record
from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.loading import DEFAULT, load
from semaniacs.runs.partial.partial_groups import (
    back_translated,
    ranking_figures,
    read_paraphrases,
)
from semaniacs.runs.scorer import load as load_scorer
from semaniacs.sts.cache import memory_folder
from semaniacs.sts.command_line import data_option
from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.partial_paraphrases.partial import (
    GradedPairs,
    Group,
    continued,
    graded_pairs,
    make_groups,
    multi_swap,
)
from semaniacs.sts.progress import track
from semaniacs.sts.text.tokenizer import words
from semaniacs.sts.translation import get_translator

SOURCE = Path("paws") / "wiki-test.tsv"
RUNS_SHOWN = ("raw", "fusion", "contextual", "paws")
BLOCK = 1024
"""Pairs whose token states are in memory at once."""

Figures = dict[str, Any]
Texts = Sequence[str]
Scored = dict[str, Scores]


def by_words(left: Texts, right: Texts) -> Scored:
    """Return the cosine of the sets of words, and F1 of the sets of their bigrams."""
    pairs = [(words(a), words(b)) for a, b in zip(left, right, strict=True)]
    bags = [(set(a), set(b)) for a, b in pairs]
    bigrams = [(set(pairwise(a)), set(pairwise(b))) for a, b in pairs]
    cosines = [len(a & b) / (math.sqrt(len(a) * len(b)) or math.inf) for a, b in bags]
    f1 = [2 * len(a & b) / ((len(a) + len(b)) or math.inf) for a, b in bigrams]
    return {"binary bag cosine": np.array(cosines), "bigram F1": np.array(f1)}


def by_transformer(left: Texts, right: Texts) -> Scored:
    """Return the three scores of MiniLM's token states."""
    from semaniacs.embeddings.transformer.bert_folder import load_bert

    network = load_bert(minilm_folder())
    parts = []
    for start in track(range(0, len(left), BLOCK), "MiniLM", "blocks"):
        sides = [side[start : start + BLOCK] for side in (left, right)]
        distinct = [*dict.fromkeys((*sides[0], *sides[1]))]
        _, (states,) = network.layers(distinct, [network.shape.layers])
        of = dict(zip(distinct, states, strict=True))
        parts += [by_states(of[a], of[b]) for a, b in zip(*sides, strict=True)]
    names = ("MiniLM cosine", "MiniLM [CLS] cosine", "MiniLM BERTScore F1")
    return dict(zip(names, np.array(parts).T, strict=True))


def by_states(left: NDArray[np.float32], right: NDArray[np.float32]) -> tuple[float, float, float]:
    """Return three scores of two sentences from their tokens' last states, (t, d).

    The cosine of the means; that of the states of [CLS]; and F1 of BERTScore without weights (Zhang
    et al., 2020, section 3): the mean over the tokens of one sentence of the highest cosine with
    one of the other, without [CLS] and [SEP].
    """
    mean = unit(np.stack([left.mean(0), right.mean(0)]))
    first = unit(np.stack([left[0], right[0]]))
    cosines = unit(left[1:-1]) @ unit(right[1:-1]).T
    f1 = 0.0
    if cosines.size:
        precision, recall = cosines.max(1).mean(), cosines.max(0).mean()
        f1 = float(2 * precision * recall / (precision + recall))
    return float(mean[0] @ mean[1]), float(first[0] @ first[1]), f1


def by_vectors(left: Texts, right: Texts) -> Scored:
    """Return the cosine of the vectors that ship."""
    return {f"`{DEFAULT}` cosine": load(DEFAULT).similarity_pairwise(left, right)}


def by_runs(left: Texts, right: Texts) -> Scored:
    """Return the scores of runs that ship."""
    scorers = {name: load_scorer(name) for name in RUNS_SHOWN}
    return {f"`{n}`": s.score(left, right, progress=True) for n, s in scorers.items()}


def group_sets(data: Path) -> tuple[dict[str, GradedPairs], Figures]:
    """Return every set of groups by name, and their counts."""
    paraphrases, origin = read_paraphrases(str(data / SOURCE)), str(SOURCE)
    swaps, counts = make_groups(paraphrases, multi_swap, origin)
    control, _ = make_groups(paraphrases, partial(multi_swap, against="a"), origin)
    more, _ = make_groups(paraphrases, continued, origin)
    chosen = {group.name for group in swaps}
    translator = get_translator("apertium", memory_folder=memory_folder())
    returned, trips = back_translated(swaps, translator, load(DEFAULT))
    names = {group.name for group in returned}
    sets = {
        "b": graded_pairs(swaps),
        "back_translated": graded_pairs(returned),
        "a": graded_pairs(group for group in control if group.name in chosen),
        "continued": graded_pairs(group for group in more if group.name in chosen),
    }
    sets["b_unflagged"] = sets["b"]._replace(groups=sets["b"].unflagged)
    before = _overlap([group for group in swaps if group.name in names])
    overlap = {"before": before, "after": _overlap(returned)}
    return sets, {"counts": counts, "back_translation": trips | {"overlap": overlap}}


def _overlap(groups: Sequence[Group]) -> float:
    """Return the mean Jaccard similarity of the words of the pairs of degree 4."""
    bags = [(set(words(g.pairs[0].left)), set(words(g.pairs[0].right))) for g in groups]
    return round(float(np.mean([len(a & b) / max(1, len(a | b)) for a, b in bags])), 4)


def measure(data: Path) -> Figures:
    """Return the figures of every scorer on every set."""
    sets, counted = group_sets(data)
    every = (pair for part in sets.values() for pair in zip(part.left, part.right, strict=True))
    place = {pair: row for row, pair in enumerate(dict.fromkeys(every))}
    left, right = zip(*place, strict=True)

    def figures(scores: Scores, part: GradedPairs) -> Figures:
        rows = [place[pair] for pair in zip(part.left, part.right, strict=True)]
        found = asdict(ranking_figures(scores[rows], part.groups))
        return {
            name: [round(x, 5) for x in value] if isinstance(value, tuple) else round(value, 5)
            for name, value in found.items()
        }

    found = {}
    for score in (by_words, by_vectors, by_transformer, by_runs):
        for way, scores in score(left, right).items():
            found[way] = {part: figures(scores, sets[part]) for part in RANKED}
    groups = {part: len(sets[part].groups) for part in RANKED}
    return {"seed": 0, **counted, "groups": groups, "scorers": found}


@study(__doc__, "", "--data ALL")
@data_option(help="Folder with paws/ (default: show the recorded figures).")
def partial_paraphrases(data: Path | None) -> None:
    """Measure and record, or show the record."""
    if data:
        write_record("partial-paraphrases", measure(data))
    click.echo(ranking_table())


if __name__ == "__main__":
    run_study(partial_paraphrases)
