"""The command ``semaniacs``: a table of commands, each imported when it is typed."""

from __future__ import annotations

import warnings

import click

from semaniacs import __version__
from semaniacs.sts.command_line import LazyGroup, Verb, run_command, run_tool
from semaniacs.sts.progress import note

VERBS = {
    "score": Verb("semaniacs.pair_commands:score", "Scores", "Score two sentences, or a table of pairs."),
    "explain": Verb("semaniacs.pair_commands:explain", "Scores", "Show which features moved a score."),
    "fit": Verb("semaniacs.pair_commands:fit", "Scores", "Fit a model to your own labelled pairs."),
    "calibrate": Verb("semaniacs.pair_commands:calibrate", "Scores", "Calibrate scores, or find a threshold, on your own labels."),
    "check": Verb("semaniacs.runs.report.check_command:check", "Scores", "List the worst translations of a file, and why."),
    "serve": Verb("semaniacs.service_commands:serve", "Scores", "Serve a web page and an API on this machine."),
    "submit": Verb("semaniacs.task_commands:submit", "Tasks", "Score an official task and write its files."),
    "evaluate": Verb("semaniacs.task_commands:evaluate", "Tasks", "Score and rank submissions."),
    "reproduce": Verb("semaniacs.task_commands:reproduce", "Tasks", "Reproduce the paper's runs in one table beside the paper's."),
    "verify": Verb("semaniacs.task_commands:verify", "Tasks", "Reproduce a recorded result and compare it."),
    "list": Verb("semaniacs.task_commands:list_all", "Tasks", "Show runs, tasks, and which data is here."),
    "report": Verb("semaniacs.runs.report.report_command:report", "Tasks", "Write a page about a run on a task."),
    "ablation": Verb("semaniacs.runs.contribution.contribution_commands:ablation", "Tasks", "Score the ensemble without each group of features, alone, and one by one."),
    "importance": Verb("semaniacs.runs.contribution.contribution_commands:importance", "Tasks", "Measure the importance of features: Gini, permutation, Shapley."),
    "behaviour": Verb("semaniacs.runs.contribution.contribution_commands:behaviour", "Tasks", "Test scores on sentences with the same words and another meaning."),
    "partial": Verb("semaniacs.runs.partial.partial_commands:partial", "Tasks", "Build groups of partial paraphrases, and rank them."),
    "search": Verb("semaniacs.embeddings.cli.search:search", "Vectors", "Find the sentences nearest to a query."),
    "encode": Verb("semaniacs.embeddings.cli.encode:encode", "Vectors", "Write the vectors of sentences."),
    "similar": Verb("semaniacs.embeddings.cli.encode:similar", "Vectors", "Write cosines of pairs, or the nearest lines of a list."),
    "train": Verb("semaniacs.embeddings.cli.train:train", "Vectors", "Tune word vectors on pairs of the same meaning."),
    "tune": Verb("semaniacs.embeddings.cli.tune:tune", "Vectors", "Fine-tune a transformer on labelled pairs."),
    "keep": Verb("semaniacs.embeddings.cli.encode:keep", "Vectors", "Filter pairs by their cosine."),
    "bitext": Verb("semaniacs.embeddings.cli.bitext_commands:bitext", "Vectors", "Train encoders on translations."),
    "export": Verb("semaniacs.embeddings.cli.export:export", "Vectors", "Write a model for another library."),
    "info": Verb("semaniacs.embeddings.cli.export:info", "Vectors", "Show the sizes and metadata of a model."),
    "mine": Verb("semaniacs.embeddings.cli.mine:mine", "Vectors", "Find duplicates, paraphrases or translations in many lines."),
    "scale": Verb("semaniacs.runs.scale.scale_commands:scale", "Vectors", "Score, encode and mine many files, with Ray."),
    "translate": Verb("semaniacs.sts.translation.translation_commands:translation", "Help", "Translate, back-translate, identify languages."),
    "cache": Verb("semaniacs.sts.cache.cache_commands:cache", "Help", "List, check and clear cached values."),
    "warm": Verb("semaniacs.service_commands:warm", "Help", "Compile now, for example into an image."),
}  # fmt: skip

ALIASES = {
    "dedup": "mine duplicates",
    "plot": "report",
    "leaderboard": "evaluate",
    "compare": "evaluate --pairwise",
    "filter": "keep",
}
"""Names that people try, and the command that each one runs."""


@click.group(
    cls=LazyGroup,
    verbs=VERBS,
    aliases=ALIASES,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        "show_default": True,
    },
    epilog="""\b
Examples:
  semaniacs score "A dog runs." "A dog is running."
  semaniacs score pairs.csv --left a --right b -o scored.csv
  semaniacs explain "A dog runs." "Stocks fell."
  semaniacs COMMAND --help

\b
Completion of commands and options by the tab key:
  eval "$(_SEMANIACS_COMPLETE=bash_source semaniacs)"      in ~/.bashrc
  eval "$(_SEMANIACS_COMPLETE=zsh_source semaniacs)"       in ~/.zshrc
  _SEMANIACS_COMPLETE=fish_source semaniacs | source       in fish's configuration""",
)
@click.version_option(__version__, "-v", "--version", message="semaniacs %(version)s")
def semaniacs() -> None:
    """Score how similar in meaning two sentences are, from 0 to 5, and explain the score."""


def run() -> None:
    """Parse the command line and run the command."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        run_command(semaniacs, "semaniacs")


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning as one line, without the place in the code."""
    note(f"warning: {message}")


def main() -> None:
    """Run the console script ``semaniacs``."""
    run_tool(run)


if __name__ == "__main__":
    main()
