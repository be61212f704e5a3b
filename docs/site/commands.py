"""The command reference: what ``--help`` prints, for every command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from click.testing import CliRunner

from semaniacs.cli import VERBS, semaniacs

WIDTH = {"COLUMNS": "100"}

Words = tuple[str, ...]


def commands(
    group: click.Group = semaniacs, above: Words = ()
) -> Iterator[tuple[Words, click.Command]]:
    """Yield every command, those of groups too, with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None:
            raise LookupError(name)
        yield (*above, name), command
        if isinstance(command, click.Group):
            yield from commands(command, (*above, name))


def verbs_page() -> str:
    """Return Markdown: ``semaniacs --help``, and the help of each command under its heading."""
    parts = ["# The command `semaniacs`", "Made from the program: what `--help` prints."]
    parts.append(help_block())
    heading = ""
    for words, _ in commands():
        if len(words) == 1 and VERBS[words[0]].heading != heading:
            heading = VERBS[words[0]].heading
            parts.append(f"## {heading}")
        parts += [f"{'#' * (2 + len(words))} {' '.join(words)}", help_block(*words)]
    return "\n\n".join(parts) + "\n"


def help_block(*words: str) -> str:
    """Return what ``semaniacs WORDS --help`` prints, as a block of Markdown."""
    runner = CliRunner(env=WIDTH)
    printed = runner.invoke(semaniacs, [*words, "--help"], prog_name="semaniacs").output
    return f"```text\n{printed.strip()}\n```"


def parse(arguments: Sequence[str]) -> None:
    """Let ``semaniacs`` parse a command line, and run nothing.

    Raises:
        click.UsageError: the arguments are refused.
    """
    command: click.Command = semaniacs
    given = list(arguments)
    while isinstance(command, click.Group) and given:
        _, found, given = command.resolve_command(click.Context(command), given)
        if found is None:
            break
        command = found
    command.make_context(command.name, given)
