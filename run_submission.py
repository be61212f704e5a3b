"""Score an official task and write its files: the same as ``semaniacs submit``."""

from __future__ import annotations

import sys

from semaniacs.cli import run
from semaniacs.sts.command_line import run_tool


def main() -> None:
    """Run ``semaniacs submit`` with the arguments of this program."""
    sys.argv.insert(1, "submit")
    run()


if __name__ == "__main__":
    run_tool(main)
