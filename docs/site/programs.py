"""The programs behind command lines, and the option parser of each, without running them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NoReturn
from unittest import mock

from docs.site.commands import parse
from semaniacs.cli import FACES

Main = Callable[[], None]


class _CaughtError(Exception):
    """Carries a parser out of the program that made it."""


def parser_of(main: Main, arguments: Sequence[str] = ()) -> argparse.ArgumentParser | None:
    """The parser that a program makes; it parses nothing. None if it makes none.

    Args:
        main: the program.
        arguments: what is typed after its name.
    """

    def catch(parser: argparse.ArgumentParser, *_: Any, **__: Any) -> NoReturn:
        raise _CaughtError(parser)

    return _caught(main, arguments, catch)


def parse_only(main: Main, arguments: Sequence[str]) -> None:
    """Let a program parse its arguments, and stop there.

    Raises:
        SystemExit: the arguments are refused; argparse has said why on stderr.
    """
    parse = argparse.ArgumentParser.parse_args

    def parse_and_stop(parser: argparse.ArgumentParser, given: Sequence[str] | None = None) -> Any:
        parse(parser, given)
        raise _CaughtError(parser)

    _caught(main, arguments, parse_and_stop)


def parse_verb(arguments: Sequence[str]) -> None:
    """Let ``semaniacs`` parse a verb and its arguments, and stop there.

    Raises:
        SystemExit, click.UsageError: the arguments are refused.
    """
    if arguments and arguments[0] in FACES:
        face = FACES[arguments[0]]
        parse_only(import_module(face.module).main, [*face.begins, *arguments[1:]])
        return
    parse(arguments)


def subcommands(parser: argparse.ArgumentParser | None) -> list[str]:
    """The names of the commands that a parser takes first."""
    actions = [] if parser is None else parser._actions
    found = [a.choices for a in actions if isinstance(a, argparse._SubParsersAction)]
    return [name for choices in found for name in choices]


def _caught(main: Main, arguments: Sequence[str], parse: Any) -> argparse.ArgumentParser | None:
    with _typed(arguments), mock.patch.object(argparse.ArgumentParser, "parse_args", parse):
        try:
            main()
        except _CaughtError as caught:
            found: argparse.ArgumentParser = caught.args[0]
            return found
    return None


@contextmanager
def _typed(arguments: Sequence[str]) -> Iterator[None]:
    with mock.patch.object(sys, "argv", ["program", *arguments]):
        yield
