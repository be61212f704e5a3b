"""``semaniacs mine score`` and ``plant``: measure mining, and make a task to measure it on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from semaniacs.embeddings.cli.shared_options import choice
from semaniacs.embeddings.formats.lines import columns
from semaniacs.embeddings.mining.bucc import make_task, read_gold_pairs, read_mined_pairs
from semaniacs.embeddings.mining.ranked_pairs import rounded
from semaniacs.sts.command_line import (
    COUNT,
    FINITE,
    SHARE,
    examples,
    option,
    output_option,
    seed_option,
)
from semaniacs.sts.data.table_kinds import encoding_option
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import check_writable, write_lines
from semaniacs.sts.progress import note
from semaniacs.sts.scoring.mined_pairs import best_threshold, score_mined


@click.command(
    epilog=examples(
        "semaniacs mine score pairs.tsv --gold test.gold",
        "semaniacs mine score pairs.tsv --gold test.gold --threshold 1.1",
        "semaniacs mine score pairs.tsv --gold dev.gold --threshold best",
    )
)
@click.argument("file", metavar="PAIRS")
@option("--gold", required=True, metavar="GOLD", help="Lines source-id<TAB>target-id.")
@option("--threshold", metavar="SCORE", help="Lowest score to count, or: best.")
@encoding_option
def score(file: str, gold: str, threshold: str | None) -> None:
    """Compute precision, recall and F1 of mined pairs.

    A pair is correct if it is in the gold; all others are wrong. "best" is the threshold with the
    highest F1 on this gold: use it to choose, not to evaluate.
    """
    lowest = None if threshold in (None, "best") else FINITE.convert(threshold, None, None)
    pairs, scores = read_mined_pairs(file)
    wanted = read_gold_pairs(gold)
    correct = np.array([pair in wanted for pair in pairs], bool)
    if not correct.any() and any((target, source) in wanted for source, target in pairs):
        raise DataError(f"{gold}: source and target are the other way round than in {file}")
    if threshold == "best":
        if not correct.any():
            raise StsError(f"{file}: no pair of {gold} is in it, so no threshold is the best")
        lowest = rounded(best_threshold(scores, correct, len(wanted)))
    if lowest is not None:
        pairs = [pair for pair, passed in zip(pairs, scores >= lowest, strict=True) if passed]
    result = score_mined(pairs, wanted)
    figures = {
        "pairs": f"{result.mined:,}",
        "gold": f"{result.gold:,}",
        "correct": f"{result.correct:,}",
        "precision": f"{result.precision:.4f}",
        "recall": f"{result.recall:.4f}",
        "F1": f"{result.f1:.4f}",
    }
    if lowest is not None:
        figures["threshold"] = str(lowest)
    for name, figure in figures.items():
        print(f"{name:9}  {figure:>9}")


@click.command(
    epilog=examples(
        "semaniacs mine plant ntrex.en-es.tsv.gz --unrelated news.en-es.tsv.gz \\",
        "    --languages en,es --split dev -o dev",
    )
)
@click.argument("pairs")
@option(
    "--unrelated",
    multiple=True,
    required=True,
    metavar="FILE",
    help="Pairs whose sides are used alone; may be given several times.",
)
@option("--languages", required=True, metavar="A,B", help="Names of the files and of the ids.")
@output_option(required=True, metavar="PREFIX", help="Beginning of the names of the files.")
@option("--share", type=SHARE, default=0.025, help="Share of the sentences with a translation.")
@choice("--split", "dev test", "One half (default: everything).", default=None)
@option("--shortest", type=COUNT, default=4, help="Fewest words of a sentence.")
@encoding_option
@seed_option()
def plant(
    pairs: str, unrelated: tuple[str, ...], languages: str, output: Path, **settings: Any
) -> None:
    """Make a mining task with gold from bitext: PREFIX.FIRST, PREFIX.SECOND and PREFIX.gold.

    PAIRS are planted. One half of the unrelated pairs gives sentences of the first language, the
    other half sentences of the second. Sentences that occur twice are left out. The same command
    writes the same files; dev and test share nothing.
    """
    first, _, second = languages.partition(",")
    if not (first.isalnum() and second.isalnum()) or first == second or "gold" in (first, second):
        raise click.BadParameter(f"--languages {languages!r}; expected two, as en,es")
    outputs = [Path(f"{output}.{end}") for end in (first, second, "gold")]
    for path in outputs:
        check_output(path)
    planted, *others = (
        [(left, right) for left, right in columns(file, "first second")]
        for file in (pairs, *unrelated)
    )
    task = make_task(planted, others, **settings)

    def name(language: str, place: int) -> str:
        return f"{language}-{place + 1:09d}"

    for path, language, side in zip(
        outputs, (first, second), (task.first, task.second), strict=False
    ):
        write_lines(path, (f"{name(language, i)}\t{text}" for i, text in enumerate(side)))
    gold = sorted(f"{name(second, y)}\t{name(first, x)}" for x, y in task.gold)
    write_lines(outputs[2], gold)
    count, whole = len(task.gold), len(task.first)
    note(
        f"{count:,} pairs planted among {whole:,} sentences of each side ({count / whole:.2%}): "
        f"{', '.join(map(str, outputs))}"
    )


def check_output(output: Path) -> None:
    """Fail before the work if a file cannot be written."""
    if str(output) == "-":
        raise StsError("-: only --output is written to stdout; name a file")
    check_writable(output.absolute().parent)
    if output.exists() and not output.is_file():
        raise StsError(f"{output}: not a regular file; give --output another")
