"""Ranking of partial paraphrases, the paper's table again.

    python -m runs.studies partial-paraphrases --data ALL               some minutes, with MiniLM
    python -m runs.studies partial-paraphrases --data ALL --limit 200   fewer groups, nothing recorded
    python -m runs.studies partial-paraphrases                          what was recorded

ALL holds paws/wiki-test.tsv, whose positive pairs the groups are made of (Peng, Weir and Weeds).
"against B" is the paper's: after one, two and three exchanges B stands beside itself, with all its
words. "no x and y" leaves out groups with an exchange inside a coordination. "back-translated": A
went through Apertium into Spanish and back. "against A" is a control, which scorers of words in
order win. "continued": A goes on with 5, 10 and 15 words.

Degrees are numbers of exchanges: nobody judged the sentences, and features that count inversions
measure with the ruler that made them. A run that learned from PAWS-Wiki learned from its
development set, which shares no sentence with these.

Finished scores are kept in WORK/scores.jsonl. The figures are recorded in
runs/results/studies/partial_paraphrases.json.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from embeddings.loading import DEFAULT, load
from runs.options import new_parser
from runs.studies.ledger import Ledger
from runs.studies.partial_paraphrases.group_sources import (
    LOWEST,
    Named,
    back_translated,
    continued_groups,
    read_paraphrases,
    swapped_groups,
)
from runs.studies.partial_paraphrases.pair_scorers import jaccard, pair_scorers, score_once
from runs.studies.partial_paraphrases.ranking_rows import percent, ranking_figures
from runs.tables.format import markdown_table
from runs.tables.pages import STUDIES, check_checkout, read_json, write_json
from sts.command_line import count
from sts.command_line import seed as seed_option
from sts.data.fetch import memory_folder
from sts.data.pairs import Scores
from sts.errors import StsError
from sts.files import check_writable
from sts.text.paraphrases.group_file import GradedPairs, graded_pairs
from sts.text.paraphrases.partial import Group
from sts.translation import get_translator

RECORDED = STUDIES / "partial_paraphrases.json"
SOURCE = Path("paws") / "wiki-test.tsv"

COLUMNS = {
    "b": "against B",
    "b_unflagged": "no x and y",
    "back_translated": "back-translated",
    "a": "against A",
    "continued": "continued",
}
"""The sets of groups, as they are recorded and shown."""

PUBLISHED = (
    ("BERT, cross-encoder", (77.57, 73.42), (67.00, 71.00)),
    ("RoBERTa, cross-encoder", (85.31, 69.90), (74.00, 69.20)),
    ("SimCSE, BERT", (41.97, 57.68), (31.00, 48.40)),
    ("SimCSE, BERT, with BERTScore", (42.33, 71.43), (31.00, 61.60)),
    ("SimCSE, RoBERTa", (43.20, 56.98), (33.00, 47.80)),
    ("SimCSE, RoBERTa, with BERTScore", (44.21, 69.90), (30.00, 56.00)),
    ("SBERT v1", (35.60, 47.97), (26.00, 38.20)),
    ("SBERT v2", (28.44, 37.77), (15.00, 17.20)),
)
"""R-Precision and ρ × 100 of the paper (tables 5 and 7): against B, and back-translated."""

Figures = dict[str, Any]


def group_sets(
    paraphrases: Sequence[Named], seed: int, limit: int | None
) -> tuple[dict[str, GradedPairs], Figures]:
    """Every set of groups by name, of ``limit`` groups at most, and what is counted of them."""
    origin = str(SOURCE)
    swaps, counts = swapped_groups(paraphrases, seed=seed, origin=origin)
    control, _ = swapped_groups(paraphrases, seed=seed, against="a", origin=origin)
    more, _ = continued_groups(paraphrases, seed=seed, origin=origin)
    swaps = swaps[:limit]
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
    overlap = {
        "before": _overlap([group for group in swaps if group.name in names]),
        "after": _overlap(returned),
    }
    return sets, {"counts": counts, "back_translation": trips | {"overlap": overlap}}


def _overlap(groups: Sequence[Group]) -> float:
    """Mean Jaccard similarity of the words of the pairs of degree 4."""
    first = [group.pairs[0] for group in groups]
    return round(float(jaccard([p.left for p in first], [p.right for p in first]).mean()), 4)


def measure(options: argparse.Namespace) -> Figures:
    """The figures of every scorer on every set."""
    paraphrases = read_paraphrases(str(options.data / SOURCE))
    sets, counted = group_sets(paraphrases, options.seed, options.limit)
    every = (pair for part in sets.values() for pair in zip(part.left, part.right, strict=True))
    pairs = list(dict.fromkeys(every))
    left, right = zip(*pairs, strict=True)
    place = {pair: row for row, pair in enumerate(pairs)}
    ledger = Ledger(options.work / "scores.jsonl")
    scorers = {}
    for scorer in pair_scorers():
        for name, scores in score_once(scorer, left, right, ledger).items():
            scorers[name] = {part: _figures(scores, sets[part], place) for part in COLUMNS}
    command = f"python -m runs.studies partial-paraphrases --data ALL --seed {options.seed}"
    groups = {part: len(sets[part].groups) for part in COLUMNS}
    return {"command": command, **counted, "groups": groups, "scorers": scorers}


def _figures(scores: Scores, part: GradedPairs, place: Mapping[tuple[str, str], int]) -> Figures:
    rows = [place[pair] for pair in zip(part.left, part.right, strict=True)]
    found = asdict(ranking_figures(scores[rows], part.groups))
    return {name: _rounded(value) for name, value in found.items()}


def _rounded(value: Any) -> Any:
    if isinstance(value, tuple):
        return [round(x, 5) for x in value]
    return round(value, 5) if isinstance(value, float) else value


def ranking_table(figures: Figures) -> str:
    """R-Precision / ρ × 100 in Markdown: our scorers, then the paper's."""
    rows = [
        (name, *(_cell(of[part]["r_precision"], of[part]["spearman"]) for part in COLUMNS))
        for name, of in figures["scorers"].items()
    ]
    for name, swap, returned in PUBLISHED:
        cells = dict.fromkeys(COLUMNS, "")
        cells |= {"b": f"{swap[0]:.2f} / {swap[1]:.2f}"}
        cells |= {"back_translated": f"{returned[0]:.2f} / {returned[1]:.2f}"}
        rows.append((f"{name} (paper)", *cells.values()))
    header = ("R-Precision / ρ × 100", *COLUMNS.values())
    return f"{counts_text(figures)}\n\n{markdown_table(header, rows)}"


def _cell(precision: float, correlation: float) -> str:
    return f"{percent(precision)} / {percent(correlation)}"


def counts_text(figures: Figures) -> str:
    """How many groups there are, and what back-translation did."""
    counts, trips = figures["counts"], figures["back_translation"]
    overlap = trips["overlap"]
    return (
        f"{figures['groups']['b']:,} groups; of {counts['paraphrases']:,} paraphrases "
        f"{counts['groups']:,} have three groups of like words. "
        f"{figures['groups']['b_unflagged']:,} groups have no exchange inside a coordination. "
        f"Back-translated: {trips['kept']:,} kept ({trips['unchanged']:,} unchanged), "
        f"{trips['dropped']:,} dropped at a cosine below {LOWEST}; lexical overlap of the kept "
        f"{overlap['before']:.3f} before and {overlap['after']:.3f} after."
    )


def main() -> None:
    """Measure and record, or read what was recorded; print."""
    parser = new_parser("runs.studies partial-paraphrases", __doc__, data=False)
    parser.add_argument("--data", type=Path, help="folder with paws/ (default: show the record)")
    parser.add_argument("--seed", type=seed_option, default=0, help="of the draws (default: 0)")
    about = "the first groups alone, which records nothing"
    parser.add_argument("--limit", type=count, metavar="GROUPS", help=about)
    work = Path("output/partial-paraphrases")
    parser.add_argument("--work", type=Path, default=work, help="folder for finished scores")
    options = parser.parse_args()
    if options.data:
        check_writable(options.work)
        figures = measure(options)
        if options.limit is None:
            check_checkout()
            write_json(RECORDED, figures)
    elif RECORDED.exists():
        figures = read_json(RECORDED)
    else:
        raise StsError(f"{RECORDED.name}: nothing is kept yet; give --data ALL")
    print(ranking_table(figures))
