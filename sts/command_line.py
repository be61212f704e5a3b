"""What the command lines share: exit codes, parsers with commands, and types of options."""

from __future__ import annotations

import argparse
import difflib
import errno
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType
from typing import Any, BinaryIO, NoReturn

from sts.errors import StsError
from sts.extras import naming_missing_libraries
from sts.progress import visible


def run_tool(main: Callable[[], None]) -> None:
    """Run ``main`` with UTF-8 on stdout, and exit with 2 and one line on stderr after an error.

    Errors are an :class:`StsError`, a library that is not installed, and a stdout that is closed
    or full. Exit code 130 is an interrupt. A reader of a pipe that has gone is no error.
    A stderr that is closed or full loses what is told there, and stops nothing.
    """
    _guard_ends()
    code = _exit_code(main)
    if code is not None:  # here nothing holds the frames that were left: generators have ended
        sys.exit(code)


class _LossyStderr(io.FileIO):
    """Stderr; what cannot be written there is lost."""

    def write(self, data: Any) -> int:
        """Write, or pretend to."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


def _guard_ends() -> None:
    """No file that is opened later takes the number of a closed end, and stderr is never None.

    Else a library that writes to the number 2 would write into that file, and ``print`` to None
    writes to stdout.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(number)
    told = sys.stderr
    if told is None or (type(told) is io.TextIOWrapper and told.fileno() == 2):
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(_LossyStderr(2, "w", closefd=False)),
            told.encoding if told else "utf-8", "backslashreplace", line_buffering=True,
        )  # fmt: skip


def _exit_code(main: Callable[[], None]) -> int | None:
    """How the work ended; None if it is done."""
    try:
        if sys.stdout is None:
            raise StsError("stdout is closed; send it to a file or to a pipe")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
            if sys.stdout.isatty():
                sys.stdout = _Terminal(sys.stdout.buffer, "utf-8", "backslashreplace",
                                       line_buffering=True)  # fmt: skip
        with naming_missing_libraries():
            main()
        sys.stdout.flush()
    except (StsError, MemoryError) as error:
        short = "not enough memory: " if isinstance(error, MemoryError) else ""
        print(f"error: {short}{visible(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; no output is half-written", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of the pipe, for example head, has ended
        sys.stderr.close()
        return 0
    except OSError as error:
        if error.filename is not None:
            told = f"{visible(_named(error.filename))}: {error.strerror}; give yourself the right"
            print(f"error: {told} to use it, or name another", file=sys.stderr)
        elif error.errno not in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG):
            raise
        else:
            print(f"error: stdout cannot be written ({error.strerror})", file=sys.stderr)
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  (Python flushes stdout at exit)
        return 2
    return None


def _named(filename: object) -> str:
    return os.fsdecode(filename) if isinstance(filename, str | bytes | os.PathLike) else "a file"


class _Terminal(io.TextIOWrapper):
    """A terminal, to which no sentence can send commands."""

    def write(self, text: str, /) -> int:
        """Write ``text`` as :func:`~sts.progress.visible` has it."""
        super().write(visible(text))
        return len(text)


def stdin() -> BinaryIO:
    """The bytes of stdin.

    Raises:
        StsError: it is closed.
    """
    if sys.stdin is None:
        raise StsError("stdin is closed; name a FILE, or pipe something in")
    return sys.stdin.buffer


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


LONGEST = 1e6
"""Seconds that an option may ask for, eleven days: what the system can wait for."""


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


HIGHEST = 2**31 - 1
"""The largest whole number that an option may ask for."""


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


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question that names the nearest word, to end an error with; "" if none is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f". Did you mean {near[0]!r}?" if near else ""


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
