"""Which commands of the documents a test runs, and why not the others."""

from __future__ import annotations

import re

from tests.documents import running
from tests.documents.snippets import Command, all_commands

COMMANDS = all_commands()
NOT_RUN = {
    r" --data (DIR|ALL)\b": "reads the official data, which is not ours to ship",
    r" --task sts": "reads the official data, which is not ours to ship",
    r"^semaniacs scale ": "starts Ray; tests/runs/test_scale.py runs the three commands",
    r"^semaniacs bitext ": "trains for minutes; tests/embeddings/bitext trains on less",
    r" --model taught": "wants the encoder that the command above it trains",
    r" (--model|info) FOLDER\b": "wants a transformer; tests/embeddings/transformer opens tiny ones",
    r"^semaniacs tune ": "trains a transformer; tests/embeddings/transformer trains tiny ones",
    r"^semaniacs serve": "serves until it is stopped; tests/runs/service starts it",
}
"""Commands that are parsed alone, and why."""

NOT_OURS = {
    r"^curl ": "asked of a server in this process",
    r"^pip install ": "tests/test_install.py installs the wheel; that its extras exist is tested",
    r"^make ": "that the target exists is tested",
    r" -m pytest ": "a test itself; that it exists is tested",
    r"^export ": "sets a variable",
}
"""Commands of other programs."""


def reason(command: Command, reasons: dict[str, str]) -> str | None:
    """Why a command is in a list."""
    return next((why for how, why in reasons.items() if re.search(how, command.text)), None)


RUN = [
    command
    for command in COMMANDS
    if command.page != "docs/extending.md"  # test_adding.py runs them in a copy
    and not reason(command, NOT_RUN)
    and running.program_of(command)
]
"""The commands that a test runs here."""
