"""What is promised, and the checkers that try to break it.

A checker is a generator: it is given a :class:`Trial`, makes ``trial.cases`` cases out of
``trial.random``, and yields for each None, or one line that says what went wrong. It is
registered by :func:`checker`, in any module of this folder::

    @checker("any bytes", "gzip is read, or refused in one line", cases=400, sample=10)
    def gzip(trial: Trial) -> Iterator[str | None]:
        for _ in range(trial.cases):
            yield attack(trial.random)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random

PROMISES = {
    "every write": "a file is the old one or the new one, whatever fails and whenever it is killed",
    "any bytes": "any input is read right or refused in one line, in bounded time and memory",
    "many at once": "processes and threads share caches, memories and folders",
    "service": "the server outlives its clients, and tells nobody what they sent",
    "same bytes": "the same input gives the same bytes in any surroundings",
    "supply": "nothing is unpickled, evaluated, run or fetched unasked; all of it is listed",
    "recompute": "a published result is made again, hash by hash",
}
"""The promises of ``docs/reliability.md`` by their short names, in its order."""


@dataclass(frozen=True)
class Trial:
    """One run of a checker.

    Attributes:
        random: where all chance comes from.
        cases: how many are asked for; a checker may make fewer if there are no more.
        folder: an empty folder of its own.
    """

    random: Random
    cases: int
    folder: Path


Check = Callable[[Trial], Iterator[str | None]]


@dataclass(frozen=True)
class Checker:
    """A registered checker; see :func:`checker` for the attributes."""

    name: str
    promise: str
    about: str
    cases: int
    sample: int
    seconds: float
    check: Check


CHECKERS: dict[str, Checker] = {}
"""All that are registered, by name; filled by :func:`find_checkers`."""


def checker(
    promise: str, about: str, *, cases: int, sample: int, seconds: float = 300
) -> Callable[[Check], Check]:
    """Register a checker under its function's name.

    Args:
        promise: one of :data:`PROMISES`.
        about: what it tries, in a few words.
        cases: how many ``python -m tests.attacks`` makes of them.
        sample: how many continuous integration makes of them; 0 leaves the checker to the command.
        seconds: after which it counts as hung.
    """
    assert promise in PROMISES, promise

    def register(check: Check) -> Check:
        name = check.__name__
        assert name not in CHECKERS, name
        CHECKERS[name] = Checker(name, promise, about, cases, sample, seconds, check)
        return check

    return register


def find_checkers() -> dict[str, Checker]:
    """All checkers of this folder, in the order of the promises."""
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if not path.stem.startswith(("_", "test_")):
            import_module(f"tests.attacks.{path.stem}")
    order = list(PROMISES)
    return dict(sorted(CHECKERS.items(), key=lambda item: order.index(item[1].promise)))


def failures(check: Check, folder: Path, cases: int, seed: int = 0) -> list[str]:
    """What a checker finds, run in this process."""
    folder.mkdir(parents=True, exist_ok=True)
    name = getattr(check, "__name__", "")
    trial = Trial(Random(f"{seed} {name}"), cases, folder)
    return [failure for failure in check(trial) if failure is not None]
