"""Score a task and write the official files; explain scores; compare two submissions.

The command of the task; ``semaniacs submit`` is the same.
"""

from __future__ import annotations

from semaniacs.submit import main
from sts.command_line import run_tool

if __name__ == "__main__":
    run_tool(main)
