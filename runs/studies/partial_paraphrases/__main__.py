"""The command line of partial paraphrases: ``python -m runs.studies.partial_paraphrases``."""

from __future__ import annotations

import argparse
import sys

from embeddings.loading import DEFAULT, load
from runs.recipes.by_name import DEFAULT as DEFAULT_RUN
from runs.studies.partial_paraphrases.group_sources import (
    LOWEST,
    VARIANTS,
    back_translated,
    continued_groups,
    read_paraphrases,
    swapped_groups,
)
from runs.studies.partial_paraphrases.ranking_rows import percent, ranking_figures
from runs.tables.format import text_table
from sts.command_line import command_line, count, positive, run_tool, seed
from sts.data.fetch import memory_folder
from sts.data.pairs import Scores
from sts.errors import DataError, StsError
from sts.progress import counted, note
from sts.scoring.ranking import accuracy_by_degree
from sts.scoring.shared_task.score_column import read_column
from sts.text.paraphrases.group_file import GradedPairs, read_groups, write_groups
from sts.translation import get_translator

EXAMPLES = {
    "": """\
examples:
  python -m runs.studies.partial_paraphrases generate pairs.tsv -o groups.tsv
  python -m runs.studies.partial_paraphrases rank groups.tsv --model contextual

A group is four pairs: a paraphrase (degree 4), and its right side beside itself after one, two and
three exchanges of like words (degrees 3, 2, 1). A good scorer gives every higher degree a higher
score. Degrees are numbers of exchanges: nobody judged the sentences.
""",
    "generate": """\
examples:
  python -m runs.studies.partial_paraphrases generate pairs.tsv -o groups.tsv
  python -m runs.studies.partial_paraphrases generate paws.tsv --label label --seed 1 > groups.tsv
  python -m runs.studies.partial_paraphrases generate pairs.tsv --variant back-translation

Of a table with a column of labels the pairs with label 1 are used. Written is TSV with the columns
group (the line), degree, left, right and flags; coordination is the flag of an exchange as in "x and
y", which may leave the meaning as it was. A sentence with fewer than three kinds of words that have
two different members is skipped; how many is said on stderr.

swap: exchanges; back-translation: the same, with the left side of degree 4 through Apertium into
Spanish and back, kept where the vectors of both have a cosine of --lowest; continuation: the left
side goes on with 5, 10 and 15 words of no concern.
""",
    "rank": """\
examples:
  python -m runs.studies.partial_paraphrases rank groups.tsv
  python -m runs.studies.partial_paraphrases rank groups.tsv --model contextual --threshold 4
  python -m runs.studies.partial_paraphrases rank groups.tsv --scores mine.txt --without-flagged

R-Precision is the share of groups whose highest score is that of degree 4 (1/k where k tie on top);
ρ is Spearman's, of scores and degrees in each group, averaged; both × 100, with an interval of 95 %
over resampled groups. --threshold adds the share of pairs on their side of it: degree 4 is at or
above it, the others are below.
""",
}


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser, command = command_line(
        "python -m runs.studies.partial_paraphrases",
        "Make groups of partial paraphrases, and rank them.",
        EXAMPLES,
    )
    _add_generate(command("generate", "make groups of the paraphrases of a table"))
    _add_rank(command("rank", "say how well a model ranks groups"))
    return parser.parse_args(arguments)


def _add_generate(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="table of pairs: TSV, CSV, JSONL, Parquet; - is stdin")
    add("-o", "--output", metavar="FILE", help="file of groups (default: stdout)")
    add("--left", metavar="COLUMN", help="column of the left sentences")
    add("--right", metavar="COLUMN", help="column of the right sentences")
    add("--label", metavar="COLUMN", help="column of labels, 1 or 0 (default: label, if there)")
    add("--variant", choices=VARIANTS, default="swap", help="how (default: swap)")
    about = (
        "what exchanges are compared with: the right side, or as a control the left (default: b)"
    )
    add("--against", choices=("a", "b"), default="b", help=about)
    add("--seed", type=seed, default=0, help="of what is drawn (default: 0)")
    add("--limit", type=count, metavar="N", help="the first N groups alone")
    about = f"cosine of a sentence and what came back of it (default: {LOWEST})"
    add("--lowest", type=positive, default=LOWEST, metavar="COSINE", help=about)
    _add_without_flagged(parser)
    parser.set_defaults(run=generate)


def _add_rank(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="groups, as generate writes them; - is stdin")
    chosen = parser.add_mutually_exclusive_group()
    about = f"a run that ships fitted, or a folder that fit wrote (default: {DEFAULT_RUN})"
    chosen.add_argument("--model", default=DEFAULT_RUN, metavar="MODEL", help=about)
    about = "scores of the pairs instead, one a line in their order"
    chosen.add_argument("--scores", metavar="SCORES", help=about)
    add("--threshold", type=float, metavar="SCORE", help="add the accuracy of each degree at it")
    add("--resamples", type=count, default=1000, help="of the groups (default: 1000)")
    _add_without_flagged(parser)
    parser.set_defaults(run=rank)


def _add_without_flagged(parser: argparse.ArgumentParser) -> None:
    about = "leave out groups with an exchange inside a coordination"
    parser.add_argument("--without-flagged", action="store_true", help=about)


def generate(options: argparse.Namespace) -> None:
    """Make and write groups.

    Raises:
        StsError: no group is left, or two options contradict each other.
    """
    swaps = options.variant == "swap"
    if options.against == "a" and not swaps:
        raise StsError("--against a is of --variant swap; leave one of them out")
    pairs = read_paraphrases(
        options.file, left=options.left, right=options.right, label=options.label
    )
    drawn = {"seed": options.seed, "origin": options.file}
    if options.variant == "continuation":
        groups, counts = continued_groups(pairs, **drawn)
    else:
        groups, counts = swapped_groups(pairs, against=options.against, **drawn)
    if options.without_flagged:
        groups = [group for group in groups if not group.flagged]
    groups = groups[: options.limit]
    said = ", ".join(f"{name} {number:,}" for name, number in counts.items())
    if options.variant == "back-translation":
        translator = get_translator("apertium", memory_folder=memory_folder())
        encoder = load(DEFAULT)
        groups, more = back_translated(groups, translator, encoder, lowest=options.lowest)
        said += "; back-translation: " + ", ".join(f"{n} {number:,}" for n, number in more.items())
    if not groups:
        raise StsError(
            f"{options.file}: no group is left of {counted(len(pairs), 'paraphrase')} ({said})"
        )
    note(said)
    write_groups(options.output, groups, sys.stdout)


def rank(options: argparse.Namespace) -> None:
    """Score the pairs of groups and print how well they are ranked."""
    pairs = read_groups(options.file)
    scores = _scores(options, pairs)
    groups = pairs.unflagged if options.without_flagged else pairs.groups
    if not len(groups):
        raise StsError(f"{options.file}: every group is flagged; leave out --without-flagged")
    found = ranking_figures(scores, groups, resamples=options.resamples)
    rows = [
        ("groups", f"{found.groups:,}", ""),
        ("R-Precision", percent(found.r_precision), _shown(found.r_precision_interval)),
        ("ρ", percent(found.spearman), _shown(found.spearman_interval)),
    ]
    if options.threshold is not None:
        shares = accuracy_by_degree(scores, groups, options.threshold)
        rows += [(f"accuracy of degree {degree}", percent(s), "") for degree, s in shares.items()]
    print(text_table(("", "× 100", "95 %"), rows))


def _shown(interval: tuple[float, float]) -> str:
    return " to ".join(map(percent, interval))


def _scores(options: argparse.Namespace, pairs: GradedPairs) -> Scores:
    if not options.scores:
        from runs.scorer import load as load_scorer

        found: Scores = load_scorer(options.model).score(pairs.left, pairs.right, progress=True)
        return found
    column = read_column(options.scores, None)
    if len(column.values) != len(pairs.left):
        raise DataError(
            f"{options.scores}: {counted(len(column.values), 'score')} for "
            f"{counted(len(pairs.left), 'pair')}; expected one a pair, in the order of the groups"
        )
    return column.values


def main() -> None:
    """Parse the command line and run the command."""
    options = parse()
    options.run(options)


if __name__ == "__main__":
    run_tool(main)
