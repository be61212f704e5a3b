"""The command reference: what ``--help`` prints, for every verb and every program."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from unittest import mock

import click
from click.testing import CliRunner

from docs.site.programs import Main, parser_of, subcommands
from runs.studies.__main__ import STUDIES
from semaniacs.cli import FACES, GROUPS, semaniacs

ROOT = Path(__file__).parents[2]
ROOMS = ("sts", "embeddings", "features", "runs")
WIDTH = {"COLUMNS": "100"}


def verbs_page() -> str:
    """Markdown: ``semaniacs --help``, and of each verb."""
    parts = ["# The command `semaniacs`", "Made from the program: what `--help` prints."]
    parts.append(_block(_help()))
    for heading, verbs in GROUPS.items():
        parts.append(f"## {heading}")
        for verb in verbs:
            parts += [f"### {verb}", _block(_help(verb))]
            for name in _below(verb):
                parts += [f"#### {verb} {name}", _block(_help(verb, name))]
    return "\n\n".join(parts) + "\n"


def programs_page() -> str:
    """Markdown: the help of ``run_submission.py`` and of each ``python -m`` program."""
    parts = ["# The programs of the rooms", "Made from the programs: what `--help` prints."]
    for module in ("run_submission", *programs()):
        main: Main = import_module(module).main
        name = f"python -m {module.removesuffix('.__main__')}"
        parts += [f"## {name}", _block(_help_of(name, main))]
        for command in _commands_of(module, main):
            parts += [f"### {command}", _block(_help_of(name, main, command))]
    return "\n\n".join(parts) + "\n"


def programs() -> Iterator[str]:
    """Every module of the rooms that is a program."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if "run_tool(main)" in path.read_text(encoding="utf-8"):
                yield ".".join(path.relative_to(ROOT).with_suffix("").parts)


def _below(verb: str) -> list[str]:
    """The commands that a verb takes first."""
    command = semaniacs.commands[verb]
    if isinstance(command, click.Group):
        return list(command.commands)
    face = FACES.get(verb)
    if face is None or face.begins:
        return []
    return _commands_of(face.module, import_module(face.module).main)


def _commands_of(module: str, main: Main) -> list[str]:
    return list(STUDIES) if module == "runs.studies.__main__" else subcommands(parser_of(main))


def _help(*words: str) -> str:
    told = CliRunner(env=WIDTH).invoke(semaniacs, [*words, "--help"], prog_name="semaniacs")
    return told.output


def _help_of(name: str, main: Main, *words: str) -> str:
    told = io.StringIO()
    with (
        mock.patch.object(sys, "argv", [name, *words, "--help"]),
        mock.patch.dict(os.environ, WIDTH),
        contextlib.redirect_stdout(told),
        contextlib.suppress(SystemExit),
    ):
        main()
    return told.getvalue()


def _block(text: str) -> str:
    return f"```text\n{text.strip()}\n```"
