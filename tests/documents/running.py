"""Run or parse a command line of a document in this process."""

from __future__ import annotations

import contextlib
import io
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from unittest import mock

import click

from docs.site.commands import parse
from semaniacs import cli
from sts.command_line import run_tool
from tests.documents.snippets import Command

OURS = ("sts", "embeddings", "features", "runs", "semaniacs")
PYTHON = ("python", ".venv/bin/python")


@dataclass(frozen=True)
class Program:
    """One of our programs in a command line.

    Attributes:
        name: a module, or ``semaniacs``.
        arguments: what follows it.
        feed: the command of the shell whose output it reads; "" for none.
        to: the file that its output goes to, if it does.
    """

    name: str
    arguments: list[str]
    feed: str = ""
    to: str | None = None

    @property
    def main(self) -> Callable[[], None] | click.Command:
        """Its entry."""
        if self.name == "semaniacs":
            return cli.main
        package = find_spec(self.name)
        if package is not None and package.submodule_search_locations:
            return import_module(f"{self.name}.__main__").main
        return import_module(self.name).main


def program_of(command: Command) -> Program | None:
    """The program of ours that a command line ends in; None if it runs something else."""
    feed, _, last = command.text.rpartition(" | ")
    words = shlex.split(last.replace("2>/dev/null", ""))
    to = None
    if ">" in words:
        to = words[words.index(">") + 1]
        words = words[: words.index(">")]
    match words:
        case ["semaniacs", *arguments]:
            return Program("semaniacs", arguments, feed, to)
        case [python, "-m", name, *arguments] if python in PYTHON and name.split(".")[0] in OURS:
            return Program(name, arguments, feed, to)
        case [python, "run_submission.py", *arguments] if python in PYTHON:
            return Program("semaniacs", ["submit", *arguments], feed, to)
    return None


def check_options(program: Program) -> None:
    """Let the program's own parser read its options.

    Raises:
        AssertionError: it refuses them.
    """
    arguments = program.arguments
    if {"-h", "--help"} & {*arguments}:
        return
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told):
            if program.name == "semaniacs":
                parse(arguments)
            else:
                assert isinstance(program.main, click.Command), program.name
                program.main.make_context(program.name, list(arguments))
    except SystemExit as refused:
        assert refused.code == 0, told.getvalue()
    except click.UsageError as refused:
        raise AssertionError(refused.format_message()) from None


def run(program: Program) -> str:
    """What a program prints, run in the present folder.

    Raises:
        AssertionError: it ends in an error.
    """
    fed = b""
    if program.feed:
        fed = subprocess.run(
            ["bash", "-c", program.feed], stdout=subprocess.PIPE, check=True
        ).stdout
    out, err = io.TextIOWrapper(io.BytesIO()), io.StringIO()
    code: object = 0
    with (
        mock.patch.object(sys, "argv", [program.name, *program.arguments]),
        mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(fed))),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            run_tool(program.main)
        except SystemExit as ended:
            code = ended.code
    out.flush()
    assert code in (0, None), err.getvalue()
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode()
