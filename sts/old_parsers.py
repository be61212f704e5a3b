"""Parsers of the programs that still use argparse. This file goes with the last one."""

from __future__ import annotations

import argparse
import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, NoReturn

from sts.errors import StsError

HIGHEST = 2**31 - 1
LONGEST = 1e6


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a question that names the nearest known word; "" if none is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f". Did you mean {near[0]!r}?" if near else ""


def positive(text: str) -> float:
    """The type of an option: a finite number above 0."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}; expected a number above 0")
    return number


def one_character(text: str) -> str:
    """The type of an option: what stands between cells; a tab may be typed as ``\\t``."""
    text = "\t" if text == r"\t" else text
    if len(text) != 1 or text in '"\r\n':
        raise argparse.ArgumentTypeError(f"{text!r}; expected one character, as --delimiter ';'")
    return text


def seconds(text: str) -> float:
    """The type of an option: a number above 0, up to :data:`LONGEST`."""
    number = positive(text)
    if number > LONGEST:
        raise argparse.ArgumentTypeError(f"{text}; expected at most {LONGEST:.0f} seconds")
    return number


def count(text: str) -> int:
    """The type of an option: a whole number from 1."""
    return _whole_number(text, 1)


def seed(text: str) -> int:
    """The type of an option: a whole number from 0."""
    return _whole_number(text, 0)


def _whole_number(text: str, lowest: int) -> int:
    if (number := int(text)) < lowest:
        raise argparse.ArgumentTypeError(f"{text}; expected {lowest} or more")
    if number > HIGHEST:
        raise argparse.ArgumentTypeError(f"{text:.40}; expected at most {HIGHEST:,}")
    return number


_TYPED: ContextVar[Mapping[str, str]] = ContextVar("typed", default=MappingProxyType({}))
"""How the programs of the house were called, where that is not by their own names."""


@contextmanager
def typed_as(names: Mapping[str, str]) -> Iterator[None]:
    """Help texts and errors inside name programs as the user types them.

    Args:
        names: what to type, by the program's own name: ``{"python -m sts.cache": "tool cache"}``.
    """
    before = _TYPED.set(names)
    try:
        yield
    except StsError as error:
        error.args = (as_typed(str(error)),)
        raise
    finally:
        _TYPED.reset(before)


def as_typed(text: str) -> str:
    """``text`` with the names of :func:`typed_as`."""
    for program, typed in sorted(_TYPED.get().items(), key=lambda name: -len(name[0])):
        text = re.sub(rf"{re.escape(program)}(?![\w.-])", typed, text)
    return text


def help_text(text: str | None) -> str:
    """A docstring or examples for ``--help``: programs as typed, no marks of reStructuredText."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"\1", text or "").replace("``", "")
    return as_typed(text)


class ArgumentParser(argparse.ArgumentParser):
    """Argparse's parser; a command that is added to it shows its own usage in its errors."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """As argparse does, but an option that is not known is an error of this very command."""
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            known = [flag for action in self._actions for flag in action.option_strings]
            hint = did_you_mean(unknown[0].partition("=")[0], known)
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return options, unknown

    def error(self, message: str) -> NoReturn:
        """Print a usage without what may be left out, and the message; exit with 2."""
        usage = argparse.HelpFormatter(prog=f"{self.prog} [OPTIONS]")
        if commands := self.commands():
            usage.add_usage(f"{self.prog} {'|'.join(commands)} ...", [], [])
        else:
            usage.add_usage(None, [one for one in self._actions if _is_needed(one)], [])
        self.exit(
            2,
            f"{usage.format_help()}try '{self.prog} --help' for all of it\n"
            f"{self.prog}: error: {message}\n",
        )

    def commands(self) -> list[str]:
        """The names of the commands that were added."""
        added = [a.choices for a in self._actions if isinstance(a, argparse._SubParsersAction)]
        return [name for choices in added for name in choices]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            error.message += did_you_mean(str(value), map(str, action.choices or ()))
            raise


def _is_needed(action: argparse.Action) -> bool:
    return action.required or not action.option_strings


AddCommand = Callable[[str, str], argparse.ArgumentParser]


def command_line(
    program: str, about: str, examples: Mapping[str, str]
) -> tuple[argparse.ArgumentParser, AddCommand]:
    """A parser with commands, and a function that adds one from its name and a short help text.

    Args:
        program: as the user types it, unless :func:`typed_as` says otherwise.
        about: what it is for.
        examples: by command, shown at the end of its ``--help``; ``""`` is the program itself.
    """
    as_written = argparse.RawDescriptionHelpFormatter
    parser = ArgumentParser(
        as_typed(program),
        description=help_text(about),
        epilog=help_text(examples[""]),
        formatter_class=as_written,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, does: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            prog=as_typed(f"{program} {name}"),
            help=does,
            description=does[0].upper() + does[1:] + ".",
            epilog=help_text(examples[name]),
            formatter_class=as_written,
        )

    return parser, add
