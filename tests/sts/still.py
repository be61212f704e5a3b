"""A clock that does not wait, for the tests of engines on the network."""

from __future__ import annotations


class StillClock:
    """Time passes only by sleeping, and what was slept is kept."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now
        self.slept: list[float] = []

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float, /) -> None:
        assert seconds >= 0
        self.slept.append(seconds)
        self.now += seconds
