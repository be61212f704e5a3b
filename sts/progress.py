"""Progress bars and notes on stderr."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from functools import partial

from tqdm import tqdm

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal obeys: all controls but tab and newline, and marks of direction."""


def visible(text: str) -> str:
    """``text`` with what a terminal would obey as a backslash and its number: ``\\x1b``."""
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


bar = partial(tqdm, leave=False, disable=None)
"""A tqdm bar that disappears at the end, and is not written if stderr is no terminal."""


def counted(count: int, one: str, several: str | None = None) -> str:
    """A number and what it counts: ``1 group``, ``2,000 groups``."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def some_of(count: int, total: str) -> str:
    """How many sentences of some are what follows: ``1 of 2 sentences is``."""
    return f"{count:,} of {total} sentences {'is' if count == 1 else 'are'}"


def note(text: str) -> None:
    """Print one line without breaking a progress bar; it is lost if stderr is closed or full."""
    if sys.stderr is not None:  # tqdm takes None for stdout
        with suppress(OSError):
            tqdm.write(visible(text), file=sys.stderr)
