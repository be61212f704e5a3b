"""How every command line of the project ends: 0, or one message and 2."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

from sts.errors import StsError


def run_tool(main: Callable[[], None]) -> None:
    """Run ``main``; an :class:`StsError` becomes one line on stderr and exit code 2."""
    try:
        main()
    except StsError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("stopped; nothing half-written is left behind", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
        sys.stderr.close()
        sys.exit(0)


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
