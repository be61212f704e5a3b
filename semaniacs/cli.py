"""The command ``semaniacs``: a verb a job. Each is a thin face of a room."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from typing import NamedTuple

import click

from semaniacs.verbs.calibrate import calibrate
from semaniacs.verbs.compare import compare
from semaniacs.verbs.evaluate import evaluate
from semaniacs.verbs.explain import explain
from semaniacs.verbs.fit import fit
from semaniacs.verbs.list_all import list_all
from semaniacs.verbs.reproduce import reproduce
from semaniacs.verbs.score import score
from semaniacs.verbs.search import search
from semaniacs.verbs.serve import serve
from semaniacs.verbs.verify import verify
from semaniacs.verbs.warm import warm
from sts.command_line import run_tool, typed_as
from sts.progress import note

SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Face(NamedTuple):
    """A verb that another program of the house answers.

    Attributes:
        group: heading of ``--help`` under which it stands.
        about: one line.
        module: the program.
        begins: arguments that come before the user's.
    """

    group: str
    about: str
    module: str
    begins: tuple[str, ...] = ()


FACES = {
    "submit": Face("Tasks", "Score an official task and write its files.", "semaniacs.submit"),
    "report": Face("Tasks", "Write a page about a run on a task.", "runs.report.__main__"),
    "partial": Face(
        "Tasks", "Make groups of partial paraphrases, and rank them.",
        "runs.studies.partial_paraphrases.__main__",
    ),
    "study": Face("Tasks", "Ablation, importance and other studies.", "runs.studies.__main__"),
    "encode": Face("Vectors", "Write the vectors of sentences.", "embeddings.__main__", ("encode",)),
    "similar": Face(
        "Vectors", "Cosines of pairs, or the nearest lines of a list.", "embeddings.__main__",
        ("similar",),
    ),
    "train": Face("Vectors", "Tune vectors on pairs that mean the same.", "embeddings.__main__", ("train",)),
    "tune": Face("Vectors", "Train a transformer on pairs with gold.", "embeddings.__main__", ("tune",)),
    "adapt": Face("Vectors", "Train a transformer on raw text.", "embeddings.__main__", ("adapt",)),
    "keep": Face("Vectors", "Keep the pairs whose cosine lies in a band.", "embeddings.__main__", ("keep",)),
    "bitext": Face("Vectors", "Train encoders on translations.", "embeddings.bitext.__main__"),
    "export": Face("Vectors", "Write a model for another library.", "embeddings.__main__", ("export",)),
    "info": Face("Vectors", "Show the sizes and metadata of a model.", "embeddings.__main__", ("info",)),
    "mine": Face("Vectors", "Find duplicates, paraphrases or translations in many lines.", "embeddings.mining.__main__"),
    "translate": Face("Help", "Translate, back-translate, keep translations.", "sts.translation.__main__"),
    "cache": Face("Help", "List, check and clear what is cached.", "sts.cache.__main__"),
}  # fmt: skip
"""The verbs that are other programs; what follows the verb is handed to them."""

OWN = {
    "Scores": ("score", "explain", "fit", "calibrate", "serve"),
    "Tasks": ("reproduce", "evaluate", "compare", "verify", "list"),
    "Vectors": ("search",),
    "Help": ("warm",),
}
"""The verbs that are here, by the same headings."""

GROUPS = {
    heading: (
        *OWN.get(heading, ()),
        *(verb for verb, face in FACES.items() if face.group == heading),
    )
    for heading in ("Scores", "Tasks", "Vectors", "Help")
}


class Grouped(click.Group):
    """A group of commands whose help has headings."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands under their headings."""
        for heading, verbs in GROUPS.items():
            with formatter.section(heading):
                found = [(verb, self.get_command(ctx, verb)) for verb in verbs]
                formatter.write_dl([(v, c.get_short_help_str(80)) for v, c in found if c])


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from semaniacs import __version__

        click.echo(f"semaniacs {__version__}")
        ctx.exit()


@click.group(
    cls=Grouped,
    context_settings=SETTINGS,
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
@click.option("-v", "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
              help="Show the version and exit.")  # fmt: skip
def semaniacs() -> None:
    """How similar in meaning are two sentences, from 0 to 5, and why?"""


def _program(face: Face) -> str:
    """What to type for a verb without this command."""
    return " ".join(["python -m", face.module.removesuffix(".__main__"), *face.begins])


TYPED = {_program(face): f"semaniacs {verb}" for verb, face in FACES.items()} | {
    "python run_submission.py": "semaniacs submit",
    "python run_submission.py --compare": "semaniacs compare",
    "python run_submission.py --list": "semaniacs list",
}
"""What help texts and errors say instead of the programs' own names."""


def _add(verb: str, face: Face) -> None:
    """Add a verb that hands its arguments to another program of the house."""

    @semaniacs.command(
        verb, help=face.about, add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )  # fmt: skip
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def forward(arguments: tuple[str, ...]) -> None:
        sys.argv = [f"semaniacs {verb}", *face.begins, *arguments]
        with typed_as(TYPED):
            import_module(face.module).main()


for _own in (
    score, explain, fit, calibrate, serve, evaluate, compare, verify, list_all, search, warm,
    reproduce,
):  # fmt: skip
    semaniacs.add_command(_own)
for _verb, _face in FACES.items():
    _add(_verb, _face)


def run() -> None:
    """Parse the command line and do what it says."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            semaniacs.main(prog_name="semaniacs", standalone_mode=False)
    except click.exceptions.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        error.show()
        sys.exit(2)


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """A line for people, without the place in the code."""
    note(f"warning: {message}")


def main() -> None:
    """The console script ``semaniacs``."""
    run_tool(run)


if __name__ == "__main__":
    main()
