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


def note(text: str) -> None:
    """Print one line without breaking a progress bar."""
    tqdm.write(text, file=sys.stderr)
