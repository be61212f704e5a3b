"""What a person at the terminal sees while work lasts: bars and notes, on stderr."""

from __future__ import annotations

import sys
from functools import partial

from tqdm import tqdm

bar = partial(tqdm, leave=False, disable=None)
"""A tqdm bar that goes when the work is done, and that no file gets to see."""


def note(text: str) -> None:
    """Print one line without breaking a progress bar."""
    tqdm.write(text, file=sys.stderr)
