"""Progress of long work, and notes, on stderr.

A terminal gets a bar. A log gets at most one line per half minute, and so none about short work.
tqdm is imported where a bar is drawn: that takes a tenth of the time of a first encoded sentence.
"""

from __future__ import annotations

import re
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from tqdm import tqdm

Item = TypeVar("Item")

_EXAMPLE = 60  # characters of a text that a message shows
INTERVAL = 30.0  # seconds between two lines where stderr is no terminal

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal obeys: all controls but tab and newline, and marks of direction."""


def visible(text: str) -> str:
    """Return ``text`` with characters that a terminal obeys as their escapes: ``\\x1b``."""
    return _UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


class _State(threading.local):
    """State of each thread: the bars that are logged, the outermost first, and :func:`quiet`."""

    def __init__(self) -> None:
        self.bars: list[Bar] = []
        self.quiet = False


_HERE = _State()


class Bar:
    """Progress of some work: a bar on a terminal, otherwise a line per :data:`INTERVAL` seconds.

    A context manager. A line describes the outermost and the innermost bar that are open.

    Args:
        label: name of the work, such as ``features``.
        unit: name of the things that are counted, such as ``pairs``.
        total: how many there are, if that is known.
        start: number of things that are done already.
        show: whether to show anything.
    """

    due: ClassVar[float] = float("-inf")
    """Time of the next line, for bars that follow each other too."""

    def __init__(
        self,
        label: str,
        unit: str,
        total: int | None = None,
        *,
        start: int = 0,
        show: bool = True,
    ) -> None:
        self.label, self.unit, self.total = label, unit, total
        self.start = self.count = start
        self.detail = ""
        self._show = show
        self._drawn: tqdm[Any] | None = None
        self.began = 0.0

    def __enter__(self) -> Bar:
        self.began = time.monotonic()
        terminal = _is_terminal() if self._show and not _HERE.quiet else None
        if terminal:
            self._draw()
        elif terminal is False:
            if Bar.due < self.began - INTERVAL:  # nothing was logged for long
                Bar.due = self.began + INTERVAL
            _HERE.bars.append(self)
        return self

    def _draw(self) -> None:
        from tqdm import tqdm

        self._drawn = tqdm(
            desc=self.label,
            unit=f" {self.unit}",
            total=self.total,
            initial=self.start,
            unit_scale=(self.total or 0) >= 10**6,
            leave=False,
        )
        if (self._drawn.ncols or 80) < 1:  # the terminal does not report its size
            self._drawn.ncols, self._drawn.nrows = 80, 24
            self._drawn.refresh()

    def __exit__(self, *_: object) -> None:
        if self._drawn is not None:
            self._drawn.close()
        if self in _HERE.bars:
            _HERE.bars.remove(self)

    def update(self, count: int = 1) -> None:
        """Count things that are done."""
        self.count += count
        if self._drawn is not None:
            self._drawn.update(count)
        elif self in _HERE.bars and time.monotonic() >= Bar.due:
            bars = dict.fromkeys([_HERE.bars[0], _HERE.bars[-1]])
            note("; ".join(map(str, bars)))
            Bar.due = time.monotonic() + INTERVAL

    def mention(self, detail: str) -> None:
        """Show a detail, such as the loss of a training, from now on."""
        self.detail = f", {detail}"
        if self._drawn is not None:
            self._drawn.set_postfix_str(detail)

    def __str__(self) -> str:
        if not self.total:
            return f"{self.label}: {self.count:,} {self.unit} so far{self.detail}"
        share = 100 * self.count / self.total
        each = (time.monotonic() - self.began) / max(1, self.count - self.start)
        left = each * (self.total - self.count) * (self.count > self.start)
        soon = f", about {_duration(left)} left" if left >= 1 else ""
        done = f"{self.count:,} of {self.total:,} {self.unit} ({share:.0f} %)"
        return f"{self.label}: {done}{self.detail}{soon}"


def track(items: Iterable[Item], label: str, unit: str, total: int | None = None) -> Iterator[Item]:
    """Yield the items and count them in a :class:`Bar` with the other arguments."""
    if total is None and isinstance(items, Sized):
        total = len(items)
    with Bar(label, unit, total) as bar:
        for item in items:
            yield item
            bar.update()


@contextmanager
def quiet(silent: bool = True) -> Iterator[None]:
    """Show no progress of the work inside, if ``silent``."""
    before, _HERE.quiet = _HERE.quiet, silent or _HERE.quiet
    try:
        yield
    finally:
        _HERE.quiet = before


def _duration(seconds: float) -> str:
    """Return a rounded time: ``40 s``, ``2 min`` or ``1.5 h``."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _is_terminal() -> bool | None:
    """Return whether stderr is a terminal; None if it is closed, or in a process of a pool."""
    from multiprocessing import parent_process

    try:
        return sys.stderr.isatty() if parent_process() is None else None
    except (AttributeError, ValueError):  # there is no stderr, or it is closed
        return None


def counted(count: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun: ``1 group``, ``2,000 groups``."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def example_of(text: str) -> str:
    """Return the beginning of a text on one line, quoted, for a message."""
    line = " ".join(text.split())
    return repr(line if len(line) <= _EXAMPLE else line[: _EXAMPLE - 1] + "…")


def sentences_are(count: int, total: str) -> str:
    """Return the beginning of a note: ``1 of 2 sentences is``, ``2 of 9 sentences are``."""
    return f"{count:,} of {total} sentences {'is' if count == 1 else 'are'}"


def note(text: str) -> None:
    """Print one line without breaking a progress bar; it is lost if stderr is closed or full."""
    from tqdm import tqdm

    if sys.stderr is not None:  # tqdm takes None for stdout
        with suppress(OSError, ValueError):
            tqdm.write(visible(text), file=sys.stderr)
