"""Progress bars and notes on stderr."""

from __future__ import annotations

import sys
from functools import partial

from tqdm import tqdm

bar = partial(tqdm, leave=False, disable=None)
"""A tqdm bar that disappears at the end, and is not written if stderr is no terminal."""


def counted(count: int, one: str, several: str | None = None) -> str:
    """A number and what it counts: ``1 group``, ``2,000 groups``."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def some_of(count: int, total: str) -> str:
    """How many sentences of some are what follows: ``1 of 2 sentences is``."""
    return f"{count:,} of {total} sentences {'is' if count == 1 else 'are'}"


def note(text: str) -> None:
    """Print one line without breaking a progress bar."""
    tqdm.write(text, file=sys.stderr)
