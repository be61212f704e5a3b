"""Progress bars and notes on stderr.

tqdm is imported where one is needed: that takes a tenth of the time of a first encoded sentence.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tqdm import tqdm

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal obeys: all controls but tab and newline, and marks of direction."""


def visible(text: str) -> str:
    """``text`` with what a terminal would obey as a backslash and its number: ``\\x1b``."""
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def bar(*arguments: Any, **options: Any) -> tqdm[Any]:
    """A tqdm bar that disappears at the end, and is not written if stderr is no terminal."""
    from tqdm import tqdm

    return tqdm(*arguments, **{"leave": False, "disable": None, **options})


def added_up(done: Iterable[int], total: int, unit: str) -> Iterator[int]:
    """The same numbers, added up on a bar that stays."""
    from tqdm import tqdm

    with tqdm(total=total, unit=unit) as shown:
        for count in done:
            shown.update(count)
            yield count


def counted(count: int, one: str, several: str | None = None) -> str:
    """A number and what it counts: ``1 group``, ``2,000 groups``."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def some_of(count: int, total: str) -> str:
    """How many sentences of some are what follows: ``1 of 2 sentences is``."""
    return f"{count:,} of {total} sentences {'is' if count == 1 else 'are'}"


def note(text: str) -> None:
    """Print one line without breaking a progress bar; it is lost if stderr is closed or full."""
    from tqdm import tqdm

    if sys.stderr is not None:  # tqdm takes None for stdout
        with suppress(OSError):
            tqdm.write(visible(text), file=sys.stderr)
