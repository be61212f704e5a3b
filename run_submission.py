"""Score a task and write the official files; explain scores; compare two submissions.

The command of the task; ``semaniacs submit`` is the same.
"""

from __future__ import annotations

from sts.command_line import run_tool
from sts.errors import StsError


def main() -> None:
    """Run the command.

    Raises:
        StsError: a folder of the user's hides one of our packages.
    """
    try:
        import semaniacs  # noqa: F401  (it looks where our packages come from)
    except ImportError as error:
        raise StsError(str(error)) from None
    from semaniacs import submit

    submit.main()


if __name__ == "__main__":
    run_tool(main)
