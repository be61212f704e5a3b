"""Score an official task and write its files: the same as ``semaniacs submit``."""

from __future__ import annotations

import sys

from semaniacs.sts.command_line import run_tool
from semaniacs.sts.errors import StsError


def main() -> None:
    """Run ``semaniacs submit`` with the arguments of this program."""
    try:
        from semaniacs.cli import run
    except ImportError as error:  # a folder of the user hides one of our packages
        raise StsError(str(error)) from None
    sys.argv.insert(1, "submit")
    run()


if __name__ == "__main__":
    run_tool(main)
