"""Which cosine makes a duplicate? (docs/duplicates.md)

    python -m runs.studies duplicate-thresholds --data ALL --write

ALL holds paraphrases/, paws/ and, as sts/, the official files. The questions of Quora's labelled
duplicates are grouped at several thresholds; a pair that is found is right if labels connect its
questions. They do not name every duplicate, and the vectors were tuned on these pairs. So two other
sets stand beside them: the pairs of STS 2012 to 2015, of which those above the threshold should have
a gold score of 4 or more; and PAWS, whose pairs have the same words in another order.

The figures are recorded in runs/results/studies/duplicates.json.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import SentenceEncoder, unit
from embeddings.formats.lines import columns
from embeddings.loading import DEFAULT, load
from embeddings.mining.close_pairs import ClosePairs, close_pairs, pairwise_cosines
from embeddings.mining.groups import Copies, find_groups, group
from runs.options import new_parser
from runs.tables.format import markdown_table
from runs.tables.pages import DUPLICATES, STUDIES, check_checkout, read_json, show, write_json
from sts.data.catalog import get_task
from sts.data.fetch import load as load_pairs
from sts.data.pairs import concatenate
from sts.errors import StsError

RECORDED = STUDIES / "duplicates.json"
THRESHOLDS = (0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.975)
YEARS = (2012, 2013, 2014, 2015)
HEADER = (
    "cosine", "Quora: pairs", "right", "of all", "groups", "duplicates", "STS: pairs", "gold ≥ 4",
    "gold ≥ 3", "PAWS: pairs", "right",
)  # fmt: skip

Figures = dict[str, Any]
Bools = NDArray[np.bool_]


def measure(data: Path, encoder: SentenceEncoder) -> Figures:
    """The figures of every threshold.

    Args:
        data: folder with paraphrases/, paws/ and sts/.
        encoder: of English.
    """
    labelled = [*columns(str(data / "paraphrases" / "quora-duplicates.tsv.gz"), "left right")]
    lines = [question for pair in labelled for question in pair]
    begin = time.process_time()
    copies = Copies(lines)
    rows = unit(encoder.encode([*copies.distinct(lines)]))
    pairs = close_pairs(rows, THRESHOLDS[0])
    seconds = time.process_time() - begin
    same = labelled_groups(copies)
    sizes = np.bincount(same)
    years = [load_pairs(d, data / "sts") for year in YEARS for d in get_task(f"sts{year}").datasets]
    scored = concatenate([pairs.select(pairs.scored) for pairs in years])
    sts = encoder.similarity_pairwise(scored.left, scored.right)
    paws = [*columns(str(data / "paws" / "wiki-test.tsv"), "id left right label")][1:]
    _, left, right, labels = zip(*paws, strict=True)
    paws_cosines = encoder.similarity_pairwise(left, right)
    paraphrase = np.array(labels) == "1"
    return {
        "lines": len(lines),
        "distinct": len(copies.first),
        "seconds": round(seconds, 1),
        "labelled": int((sizes * (sizes - 1) // 2).sum()),
        "thresholds": [
            {"cosine": threshold}
            | _of_quora(pairs.at_least(threshold), copies, rows, same)
            | _share("sts", sts >= threshold, gold_4=scored.gold >= 4, gold_3=scored.gold >= 3)
            | _share("paws", paws_cosines >= threshold, right=paraphrase)
            for threshold in THRESHOLDS
        ],
    }


def labelled_groups(copies: Copies) -> NDArray[np.int64]:
    """(n,) for each distinct text the group that labels connect it with.

    Args:
        copies: of the lines, the two of each labelled pair one after the other.
    """
    low, high = np.sort(copies.text_of.reshape(-1, 2), axis=1).T
    apart = low != high
    joined = ClosePairs(
        low[apart].astype(np.int32), high[apart].astype(np.int32), np.ones(apart.sum())
    )
    return group(joined, np.arange(len(copies.first)), "components")


def _of_quora(
    pairs: ClosePairs, copies: Copies, rows: Any, same: NDArray[np.int64]
) -> dict[str, float]:
    def far(some: Any, others: Any) -> Any:
        return pairwise_cosines(rows, rows, some, others)

    groups = find_groups(copies, pairs, "first", "star", far)
    sizes = np.bincount(same)
    right = int((same[pairs.low] == same[pairs.high]).sum())
    return {
        "pairs": len(pairs.low),
        "right": round(right / max(1, len(pairs.low)), 4),
        "found": round(right / max(1, int((sizes * (sizes - 1) // 2).sum())), 4),
        "groups": len(groups),
        "duplicates": sum(len(found.rows) - 1 for found in groups),
    }


def _share(name: str, above: Bools, **right: Bools) -> dict[str, float]:
    """How many pairs are above a threshold, and which share of them is right in each sense."""
    shares = {f"{name}_{what}": round(float(yes[above].mean()), 4) for what, yes in right.items()}
    return {f"{name}_pairs": int(above.sum())} | shares


def duplicates_table(figures: Figures) -> str:
    """The figures in Markdown."""
    rows: list[Sequence[str]] = [
        (
            f"{row['cosine']:g}", f"{row['pairs']:,}", f"{row['right']:.3f}",
            f"{row['found']:.3f}", f"{row['groups']:,}", f"{row['duplicates']:,}",
            f"{row['sts_pairs']:,}", f"{row['sts_gold_4']:.3f}", f"{row['sts_gold_3']:.3f}",
            f"{row['paws_pairs']:,}", f"{row['paws_right']:.3f}",
        )
        for row in figures["thresholds"]
    ]  # fmt: skip
    return (
        f"{figures['lines']:,} questions of Quora, {figures['distinct']:,} of them distinct; "
        f"{figures['seconds']:.0f} s of processor time to encode them and to compare all with all, "
        "which every core shares.\n\n"
        f"{markdown_table(HEADER, rows)}"
    )


def main() -> None:
    """Measure and record, or read what was recorded; print, and write into the document."""
    parser = new_parser("runs.studies duplicate-thresholds", __doc__, data=False)
    parser.add_argument("--data", type=Path, help="folder with paraphrases/, paws/ and sts/")
    parser.add_argument("--write", action="store_true", help="show it in docs/duplicates.md")
    options = parser.parse_args()
    if options.write:
        check_checkout()
    if options.data:
        write_json(RECORDED, measure(options.data, load(DEFAULT)))
    elif not RECORDED.exists():
        raise StsError(f"{RECORDED.name}: nothing is kept yet; give --data ALL")
    table = duplicates_table(read_json(RECORDED))
    print(table)
    if options.write:
        show(DUPLICATES, "duplicates", table)
