"""The command ``semaniacs``: a verb a job. Each is a thin face of a room."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from sts.command_line import run_tool
from sts.errors import StsError
from sts.extras import require

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
    "compare": Face("Tasks", "Say whether one submission is better.", "semaniacs.submit", ("--compare",)),
    "list": Face("Tasks", "Show runs, tasks, and which data is here.", "semaniacs.submit", ("--list",)),
    "report": Face("Tasks", "Write a page about a run on a task.", "runs.report.__main__"),
    "study": Face("Tasks", "Ablation, importance and other studies.", "runs.studies.__main__"),
    "encode": Face("Vectors", "Write the vectors of sentences.", "embeddings.__main__", ("encode",)),
    "similar": Face(
        "Vectors", "Cosines of pairs, or the nearest lines of a list.", "embeddings.__main__",
        ("similar",),
    ),
    "train": Face("Vectors", "Tune vectors on pairs that mean the same.", "embeddings.__main__", ("train",)),
    "export": Face("Vectors", "Write a model for another library.", "embeddings.__main__", ("export",)),
    "info": Face("Vectors", "Show the sizes and metadata of a model.", "embeddings.__main__", ("info",)),
    "mine": Face("Vectors", "Find translations or paraphrases in many lines.", "embeddings.mining.__main__"),
    "translate": Face("Help", "Translate, back-translate, keep translations.", "sts.translation.__main__"),
    "cache": Face("Help", "List, check and clear what is cached.", "sts.cache.__main__"),
}  # fmt: skip
"""The verbs that are other programs; what follows the verb is handed to them."""

GROUPS = {"Scores": ("score", "explain", "fit", "serve")} | {
    heading: tuple(verb for verb, face in FACES.items() if face.group == heading)
    for heading in ("Tasks", "Vectors", "Help")
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
  semaniacs COMMAND --help""",
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version)
def semaniacs() -> None:
    """How similar in meaning are two sentences, from 0 to 5, and why?"""


def _model(command: Callable[..., None]) -> Callable[..., None]:
    return click.option(
        "-m", "--model", default="fusion", show_default=True,
        help="A run that ships (see: semaniacs list), or a folder that fit wrote.",
    )(command)  # fmt: skip


def _table(command: Callable[..., None]) -> Callable[..., None]:
    """The options of a table of pairs."""
    for option in (
        click.option("--left", help="Column of the left sentences."),
        click.option("--right", help="Column of the right sentences."),
        click.option("--header/--no-header", default=None,
                     help="Whether CSV or TSV begins with names (default: look)."),
        click.option("--from", "read_as", type=click.Choice(["tsv", "csv", "jsonl", "parquet"]),
                     help="Format of the input (default: by its name)."),
    ):  # fmt: skip
        command = option(command)
    return command


@semaniacs.command(
    epilog="""\b
Examples:
  semaniacs score "A dog runs." "A dog is running."
  semaniacs score pairs.tsv                        two columns: a score a line
  semaniacs score pairs.csv --left a --right b     all columns, and the score
  semaniacs score big.jsonl.gz -o scored.parquet --empty nan
  cat pairs.tsv | semaniacs score - --model contextual"""
)
@click.argument("texts", nargs=-1, required=True, metavar="LEFT RIGHT | FILE")
@_model
@_table
@click.option("--id", "id_", help="Keep this column alone beside the score.")
@click.option("--to", "write_as", type=click.Choice(["tsv", "csv", "jsonl", "parquet"]),
              help="Format of the output (default: by its name, or as the input).")  # fmt: skip
@click.option("-o", "--output", help="File; it appears when all is scored (default: stdout).")
@click.option("--name", default="score", show_default=True, help="Name of the new column.")
@click.option("--digits", default=4, show_default=True, type=click.IntRange(0, 17))
@click.option("--empty", type=click.Choice(["error", "nan", "zero"]), default="error",
              show_default=True, help="What a pair with a blank sentence gets.")  # fmt: skip
@click.option("--languages", nargs=2, metavar="LEFT RIGHT",
              help="Languages of the sides, for a model of several: de en.")  # fmt: skip
def score(
    texts: tuple[str, ...], model: str, id_: str | None, output: str | None, **options: Any
) -> None:
    """Score two sentences, or every pair of a FILE (TSV, CSV, JSONL, Parquet; - is stdin).

    0 is unrelated, 5 the same meaning. Rows, order and other columns stay as they are.
    """
    from runs.score_table import TableOptions, score_table
    from runs.scorer import load
    from sts.text.script import NotLatin

    if len(texts) > 2:
        raise click.UsageError("give two sentences, or one FILE")
    scorer = load(model)
    languages = options["languages"] or None
    if len(texts) == 2:
        left, right = ([text] for text in texts)
        scripts = NotLatin()
        (value,) = scorer.score_counting(
            left, right, scripts, languages=languages, empty=options["empty"]
        )
        click.echo(f"{value:.{options['digits']}f}")
        scripts.note(scorer.name, "--languages")
        return
    wanted = TableOptions(**(options | {"id": id_, "languages": languages}))
    score_table(scorer, texts[0], output, wanted, progress=True)


@semaniacs.command(
    epilog="""\b
Examples:
  semaniacs explain "A dog runs." "Stocks fell on Friday."
  semaniacs explain pairs.tsv --json"""
)
@click.argument("texts", nargs=-1, required=True, metavar="LEFT RIGHT | FILE")
@_model
@_table
@click.option("--json", "as_lines", is_flag=True, help="A line of JSON a pair, all features.")
def explain(texts: tuple[str, ...], model: str, as_lines: bool, **options: Any) -> None:
    """Say which features moved the score of two sentences, or of every pair of a FILE.

    The base and the contributions add up to the score.
    """
    from runs.report.explanation import as_json, as_table
    from runs.scorer import load
    from sts.data.tables import find_columns, kind_of, read_blocks

    if len(texts) > 2:
        raise click.UsageError("give two sentences, or one FILE")
    scorer = load(model)
    show = as_json if as_lines else as_table
    if len(texts) == 2:
        click.echo("\n".join(show([scorer.explain(*texts)])))
        return
    kind = options["read_as"] or kind_of(texts[0])
    for number, block in enumerate(read_blocks(texts[0], kind, header=options["header"], size=256)):
        names = find_columns(texts[0], block.columns, options["left"], options["right"])
        if number and not as_lines:
            click.echo()
        click.echo("\n".join(show(scorer.explain(*map(block.column, names)))))


@semaniacs.command(
    epilog="""\b
Example:
  semaniacs fit labelled.csv --left a --right b --gold similarity -o my-scorer
  semaniacs score pairs.csv --model my-scorer"""
)
@click.argument("file")
@click.option("--gold", required=True, help="Column of the similarity, from 0 to 5.")
@click.option("-o", "--output", required=True, type=Path, help="Folder for the fitted scorer.")
@_model
@_table
@click.option("--folds", default=5, show_default=True, type=click.IntRange(2))
@click.option("--seed", default=0, show_default=True, type=click.IntRange(0))
def fit(
    file: str, gold: str, output: Path, model: str, folds: int, seed: int, **options: Any
) -> None:
    """Fit the regressors of a model to labelled pairs of your own, and say how well they fit.

    The correlations are those of a cross-validation: no pair is scored by what it was fitted to.
    """
    from runs.scorer import load
    from sts.data.tables import find_columns, kind_of, read_blocks
    from sts.files import check_writable

    check_writable(output)
    left: list[Any] = []
    right: list[Any] = []
    scores: list[Any] = []
    for block in read_blocks(file, options["read_as"] or kind_of(file), header=options["header"]):
        names = find_columns(file, block.columns, options["left"], options["right"])
        if gold not in block.columns:
            raise StsError(
                f"{file}: no column {gold!r} for --gold; it has {', '.join(block.columns)}"
            )
        left += block.column(names[0])
        right += block.column(names[1])
        scores += map(_number, block.column(gold))
    fitted = load(model).fit(left, right, scores, folds=folds, seed=seed)
    fitted.save(output)
    click.echo(fitted.report)


def _number(cell: Any) -> Any:
    """A cell of text as a number; what is none stays as it is, to be named as an error."""
    try:
        return float(cell)
    except (TypeError, ValueError):
        return cell


@semaniacs.command(
    epilog="""\b
Examples:
  semaniacs serve
  semaniacs serve --port 9000 --model fusion --model contextual
  SEMANIACS_TOKEN=$(openssl rand -hex 16) semaniacs serve --host 0.0.0.0"""
)
@click.option("--host", default="127.0.0.1", show_default=True,
              help="Address to listen on; one that others reach needs a token.")  # fmt: skip
@click.option("--port", default=8765, show_default=True, type=click.IntRange(0, 65535),
              help="0 takes one that is free.")  # fmt: skip
@click.option("-m", "--model", "models", multiple=True, default=("fusion", "raw"),
              show_default=True, help="A run that ships, or a folder that fit wrote; repeatable.")  # fmt: skip
@click.option("--encoder", "encoders", multiple=True, default=("paragram",), show_default=True,
              help="A bundled encoder, or a file or folder of one; repeatable.")  # fmt: skip
@click.option("--token", envvar="SEMANIACS_TOKEN", show_envvar=True,
              help="What every request must bear.")  # fmt: skip
@click.option("--name", "names", multiple=True,
              help="Another host name by which the server is reached; repeatable.")  # fmt: skip
def serve(
    host: str, port: int, models: tuple[str, ...], encoders: tuple[str, ...],
    token: str | None, names: tuple[str, ...],
) -> None:  # fmt: skip
    """Serve a web page and a JSON API of scores, explanations and vectors on this machine."""
    require("starlette", "uvicorn")
    from runs.service.guards import Access
    from runs.service.server import serve as listen

    listen(Access(host, tuple(map(str.lower, names)), token), port, models, encoders)


def _add(verb: str, face: Face) -> None:
    """Add a verb that hands its arguments to another program of the house."""

    @semaniacs.command(
        verb, help=face.about, add_help_option=False,
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )  # fmt: skip
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def forward(arguments: tuple[str, ...]) -> None:
        # An option that waits for values would take --help for one.
        help_alone = {"-h", "--help"} & {*arguments} and face.module == "semaniacs.submit"
        begins = () if help_alone else face.begins
        sys.argv = [f"semaniacs {verb}", *begins, *arguments]
        import_module(face.module).main()


for _verb, _face in FACES.items():
    _add(_verb, _face)


def run() -> None:
    """Parse the command line and do what it says."""
    try:
        semaniacs.main(prog_name="semaniacs", standalone_mode=False)
    except click.exceptions.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        error.show()
        sys.exit(2)


def main() -> None:
    """The console script ``semaniacs``."""
    run_tool(run)


if __name__ == "__main__":
    main()
