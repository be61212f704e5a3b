"""The commands ``semaniacs ablation``, ``importance`` and ``behaviour``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from semaniacs.sts.command_line import (
    data_option,
    examples,
    jobs_option,
    option,
    output_option,
    seed_option,
)

if TYPE_CHECKING:
    from semaniacs.runs.contribution.study import Study

FOLDER = Path("output")
ONE_PER_CORE = -1


def _study_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that ablation and importance share."""
    for add in reversed(
        (
            option("--run", default="fusion", help="Recipe."),
            option("--task", default="sts2015", help="Task of 2015 or earlier, or sample."),
            data_option(),
            output_option(writes="", default=FOLDER, help="Folder for the files."),
            seed_option(),
            option("--translator", help="Translator for the round trips of the test sentences."),
            jobs_option(default=None, show_default="one per core"),
        )
    ):
        command = add(command)
    return command


def _study(
    run: str, task: str, data: Path | None, output: Path, seed: int, translator: str | None
) -> tuple[Study, Path]:
    """Return the study that the options name, and the folder for its files."""
    from semaniacs.runs.contribution.study import prepare_study
    from semaniacs.runs.recipes import get_run
    from semaniacs.sts.data.catalog import get_task
    from semaniacs.sts.files import check_writable

    recipe, studied = get_run(run).with_seed(seed), get_task(task)
    folder = output / studied.name / recipe.name
    check_writable(folder)
    return prepare_study(recipe, studied, data, translator), folder


@click.command(
    epilog=examples(
        "semaniacs ablation --data DIR", "semaniacs ablation --run fusion --task sts2015 --data DIR"
    ),
)
@_study_options
def ablation(jobs: int | None, **study_options: Any) -> None:
    """Score the ensemble without each group of features, with it alone, and group by group.

    Each ensemble is compared with the whole one on the same resampled pairs. The tables are
    printed; ablation.json is written to OUTPUT/TASK/RUN, beside ablation.jsonl with finished work.
    A command that was stopped resumes.
    """
    from semaniacs.runs.contribution.ablation import ablate, ablation_json, ablation_tables
    from semaniacs.runs.contribution.ledger import Ledger
    from semaniacs.runs.tables.format import json_text
    from semaniacs.sts.files import write_text

    study, folder = _study(**study_options)
    found = ablate(study, Ledger(folder / "ablation.jsonl"), jobs or ONE_PER_CORE)
    write_text(folder / "ablation.json", json_text(ablation_json(study, found)))
    click.echo(f"{study.run.name} on {study.task}\n\n{ablation_tables(study, found)}\n")
    click.echo("difference: weighted mean minus that of all features, with its 95 % interval")


@click.command(
    epilog=examples(
        "semaniacs importance --data DIR",
        "semaniacs importance --run fusion --task sts2015 --data DIR",
    ),
)
@_study_options
def importance(jobs: int | None, **study_options: Any) -> None:
    """Measure the importance of each feature three ways, and show which features are alike.

    Gini importance (Hokamp and Arora, 2016, Table 4) is of scikit-learn's booster, which learns
    from the training pairs. Permutation is the loss of the weighted mean of the run's ensemble when
    a feature is shuffled among the test pairs. Shapley is the mean absolute number of points by
    which a feature moves a score. The nearest feature is the one with the largest correlation.

    The tables are printed; importance.json is written to OUTPUT/TASK/RUN, beside importance.jsonl
    with finished work. A command that was stopped resumes.
    """
    from semaniacs.runs.contribution.importance import (
        importance_json,
        importance_table,
        measure_importance,
    )
    from semaniacs.runs.contribution.ledger import Ledger
    from semaniacs.runs.tables.format import json_text
    from semaniacs.sts.files import write_text

    study, folder = _study(**study_options)
    found = measure_importance(study, Ledger(folder / "importance.jsonl"), jobs or ONE_PER_CORE)
    write_text(folder / "importance.json", json_text(importance_json(study, found)))
    click.echo(f"{study.run.name} on {study.task}: weighted mean {found.whole:.4f}\n")
    click.echo(importance_table(found))


@click.command(
    epilog=examples("semaniacs behaviour", "semaniacs behaviour --run fusion --triples mine.tsv"),
)
@option(
    "--run",
    old=("--runs",),
    multiple=True,
    help="Run or folder of a model; repeatable (default: English runs that ship).",
)
@option(
    "--half",
    type=click.Choice(["development", "held_out"]),
    default="development",
    help="Half of the suite; keep held_out for reports.",
)
@option(
    "--triples",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Your own triples instead: TSV with the header phenomenon, anchor, closer, farther.",
)
@output_option(writes="", default=FOLDER, help="Folder for the files.")
def behaviour(run: tuple[str, ...], half: str, triples: Path | None, output: Path) -> None:
    """Test which differences in meaning a score notices, and what must not change it.

    Each triple is a sentence, a paraphrase in other words (closer), and a sentence with nearly the
    same words and another meaning (farther). A score is right if it puts the closer one nearer; a
    tie is wrong. The overall figure is the mean over phenomena, with a 95 % interval (Wilson).
    Further tables show the share of sentences that score exactly 5 with themselves, the share of
    symmetric scores, and how much of a score rewriting (typos, capitals) leaves.

    Writes behaviour.md, behaviour.json and scores.tsv to OUTPUT/behaviour/HALF. Do not look at the
    held-out half while you build features or choose parameters.
    """
    from semaniacs.runs.contribution.behaviour import measure_behaviour

    click.echo(measure_behaviour(run, half, triples, output))
