"""How every command line of the project ends: 0, or one message and 2."""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Callable, Mapping
from typing import BinaryIO

from sts.errors import StsError


def run_tool(main: Callable[[], None]) -> None:
    """Run ``main``; an :class:`StsError` becomes one line on stderr and exit code 2.

    So does a stdout that is closed, or full. What is printed is UTF-8.
    """
    try:
        if sys.stdout is None:
            raise StsError("stdout is closed; send it to a file or to a pipe")
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        main()
        sys.stdout.flush()
    except StsError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("stopped; nothing half-written is left behind", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EFBIG):
            raise
        print(f"error: stdout cannot be written ({error.strerror})", file=sys.stderr)
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  (Python flushes it last)
        sys.exit(2)


def stdin() -> BinaryIO:
    """The bytes of stdin.

    Raises:
        StsError: it is closed.
    """
    if sys.stdin is None:
        raise StsError("stdin is closed; name a FILE, or pipe something in")
    return sys.stdin.buffer


def positive(text: str) -> float:
    """An option's number above 0, for argparse to refuse others."""
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}; expected a number above 0")
    return number


def count(text: str) -> int:
    """An option's whole number from 1 on."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}; expected 1 or more")
    return number


def seed(text: str) -> int:
    """An option's whole number from 0 on."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text}; expected 0 or more")
    return number


AddCommand = Callable[[str, str], argparse.ArgumentParser]


def command_line(
    program: str, about: str, examples: Mapping[str, str]
) -> tuple[argparse.ArgumentParser, AddCommand]:
    """A parser with commands, and what adds one: from its name and what it does, in a line.

    Args:
        program: as it is typed.
        about: what it is for.
        examples: shown under ``--help`` of each command; under ``""`` those of the program.
    """
    parser = argparse.ArgumentParser(
        prog=program,
        description=about,
        epilog=examples[""],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, does: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=does,
            description=does[0].upper() + does[1:] + ".",
            epilog=examples[name],
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )

    return parser, add
