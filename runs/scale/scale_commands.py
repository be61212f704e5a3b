"""``semaniacs scale``: score, encode and mine many files on many cores or machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from glob import glob
from pathlib import Path
from typing import Any

import click

from semaniacs.sts.command_line import (
    examples,
    given,
    input_format_option,
    jobs_option,
    languages_option,
    model_option,
    option,
    output_option,
    threshold_option,
    top_k_option,
)
from semaniacs.sts.data.table_kinds import TABLES
from semaniacs.sts.errors import require

FILES = click.argument("files", nargs=-1, required=True, metavar="FILE...")
FOLDER_OPTION = output_option(required=True, writes="", help="Folder for the results.")
LIBRARIES = ("ray", "pyarrow", "pandas")
MARGINS = click.Choice(["ratio", "distance", "absolute"])
CANDIDATES = click.Choice(["max", "intersection", "forward", "backward"])


def where_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the cluster."""
    jobs = jobs_option(
        default=None,
        show_default=False,
        old=("--workers",),
        help="Number of shards at once (default: one per core).",
    )
    address = option(
        "--address", help="HOST:PORT of a Ray cluster (also: RAY_ADDRESS; default: this machine)."
    )
    return jobs(address(command))


@click.group(
    epilog=examples(
        "semaniacs scale score news/*.tsv --output scores",
        "semaniacs scale encode news/*.txt --output vectors --model paragram-small",
        "semaniacs scale score news/*.tsv --output /shared/scores --address 10.0.0.1:6379",
    )
)
def scale() -> None:
    """Score, encode and mine many files, with Ray.

    The work is done in shards of 20,000 lines. A command that was stopped resumes with the shards
    that are not finished.
    """


@scale.command(epilog=examples("semaniacs scale score news/*.tsv --output scores"))
@FILES
@FOLDER_OPTION
@model_option(old=("--run",))
@where_options
def score(
    files: Sequence[str], output: Path, model: str, address: str | None, jobs: int | None
) -> None:
    """Score pairs: a line of a FILE is left<TAB>right, OUTPUT/NAME.txt has one score per line."""
    require(*LIBRARIES)
    from semaniacs.runs.scale import shards

    shards.scorer(model)  # an unknown model is an error before the work
    work, cluster = partial(shards.score, model=model), shards.Cluster(address, jobs)
    shards.each_file(work, files, output, ".txt", ["score", model], cluster)


@scale.command(epilog=examples("semaniacs scale encode news/*.txt --output vectors"))
@FILES
@FOLDER_OPTION
@model_option(default="paragram", help="Encoder: a bundled name, a file or a folder.")
@languages_option()
@where_options
def encode(
    files: Sequence[str],
    output: Path,
    model: str,
    languages: str | None,
    address: str | None,
    jobs: int | None,
) -> None:
    """Encode sentences: one sentence per line of a FILE, OUTPUT/NAME.npy has one row per line."""
    require(*LIBRARIES)
    from semaniacs.runs.scale import shards

    shards.encoder(model, languages)
    work = partial(shards.encode, model=model, language=languages)
    cluster = shards.Cluster(address, jobs)
    shards.each_file(work, files, output, ".npy", ["encode", model, languages], cluster)


@scale.command(
    epilog=examples(
        "semaniacs scale mine es/*.txt --against 'en/*.txt' -o pairs.tsv --model bitext-sp",
    )
)
@FILES
@option(
    "--against",
    required=True,
    multiple=True,
    metavar="FILE",
    help="File of the other language, or a pattern in quotes; repeatable.",
)
@output_option(required=True, writes=TABLES, help="File for the pairs.")
@model_option(default=None, required=True, callback=given, help="Encoder of both languages.")
@languages_option(nargs=2, old=(), metavar="LEFT RIGHT", help="Languages of the two sides.")
@top_k_option(default=4, help="Number of neighbours of a sentence.")
@option("--margin", type=MARGINS, default="ratio", help="Score of a pair.")
@option(
    "--candidates",
    type=CANDIDATES,
    default="max",
    help="Pairs to choose from, see: semaniacs mine bitext --help.",
)
@threshold_option()
@option("--distinct", is_flag=True, help="Skip sentences that repeat an earlier line.")
@option("--texts/--no-texts", default=True, help="Write the sentences and the names of columns.")
@input_format_option(
    old=("--format",),
    type=click.Choice(["bucc", "plain"]),
    help="bucc: id<TAB>sentence (default: if the first line has an id).",
)
@where_options
def mine(
    files: Sequence[str],
    against: Sequence[str],
    output: Path,
    model: str,
    languages: tuple[str, str] | None,
    address: str | None,
    jobs: int | None,
    **settings: Any,
) -> None:
    """Find translations of each other in two groups of files.

    Several files of a side count as one, its lines numbered through. The pairs are those of
    semaniacs mine bitext. A block of lines is compared with all others at a time.
    """
    require(*LIBRARIES)
    from semaniacs.runs.scale.shards import Cluster, mine_files

    other = [path for name in against for path in sorted(glob(name)) or [name]]  # noqa: PTH207
    codes, cluster = languages or (None, None), Cluster(address, jobs)
    mine_files((files, other), output, model, codes, cluster, **settings)
