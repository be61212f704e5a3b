"""Notes to the person at the terminal: on stderr, never among the results."""

from __future__ import annotations

import sys

from tqdm import tqdm


def note(text: str) -> None:
    """Print one line without breaking a progress bar."""
    tqdm.write(text, file=sys.stderr)
