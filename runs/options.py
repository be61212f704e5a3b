"""Options that several commands of this room take."""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from inspect import cleandoc
from pathlib import Path

from sts.command_line import ArgumentParser, as_typed, help_text
from sts.errors import MissingResourceError, StsError

EVERY_CORE = -1
"""The number of processes that stands for one a core."""


def new_parser(
    program: str, about: str | None, *, data: bool = True, example: str = ""
) -> argparse.ArgumentParser:
    """A parser for ``python -m PROGRAM``.

    Args:
        program: the module, and the first of its arguments if it stands for several programs.
        about: what ``--help`` shows, as a rule the docstring of the module, as it stands.
        data: add the folder of the STS files.
        example: arguments of a command that ``--help`` shows, if ``about`` shows none.
    """
    parser = ArgumentParser(
        prog=as_typed(f"python -m {program}"),
        description=help_text(cleandoc(about or "")),
        epilog=as_typed(f"example:\n  python -m {program} {example}") if example else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if data:
        parser.add_argument("--data", type=Path, help="STS data folder; otherwise STS_DATA")
    return parser


def add_jobs(parser: argparse.ArgumentParser, *, default: int = EVERY_CORE) -> None:
    """The number of processes of a command that works on several."""
    told = "one a core" if default == EVERY_CORE else default
    parser.add_argument("--jobs", type=_jobs, default=default, help=f"processes (default: {told})")


def require_peers(*libraries: str) -> None:
    """Refuse to begin a benchmark next to libraries that are not installed.

    Raises:
        MissingResourceError: it names the first, and the file that lists them all.
    """
    for library in libraries:
        if find_spec(library) is None:
            raise MissingResourceError(
                f"this needs {library}: pip install -r requirements-peers.txt, or make peers"
            )


def _jobs(text: str) -> int:
    jobs = int(text)
    if jobs < 1 and jobs != EVERY_CORE:
        raise StsError(
            f"--jobs {jobs}: expected a whole number from 1; leave it out for every core"
        )
    return jobs
