"""The command of a study: ``python -m research.NAME``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from semaniacs.sts.command_line import examples, run_command, run_tool


def study(about: str | None, *calls: str) -> Callable[[Callable[..., Any]], click.Command]:
    """Return a decorator that makes a function the command of its script.

    Args:
        about: the help text, the docstring of the script.
        calls: arguments of the example calls.
    """

    def decorate(function: Callable[..., Any]) -> click.Command:
        name = f"python -m research.{function.__name__}"
        epilog = examples(*(f"{name} {call}".rstrip() for call in calls))
        return click.command(function.__name__, help=about, epilog=epilog)(function)

    return decorate


def run_study(command: click.Command) -> None:
    """Run the command of a script."""
    run_tool(lambda: run_command(command, f"python -m research.{command.name}"))
