"""Work on several processes, with the same results as on one, in the order of finishing."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TypeVar

from runs.scale.processes import leave_with
from sts import progress

Item = TypeVar("Item")
Result = TypeVar("Result")


def each(
    function: Callable[[Item], Result], items: Sequence[Item], jobs: int, *, label: str, unit: str
) -> Iterator[tuple[Item, Result]]:
    """(item, function(item)) of every item as soon as it is finished, under a progress bar.

    Args:
        function: a function of a module, or a partial of one; calls must not depend on each other.
        items: its arguments.
        jobs: processes; :data:`runs.options.EVERY_CORE`, or a number from 1, which stays in this one.
        label, unit: of the progress bar on stderr.
    """
    # scikit-learn's interface to joblib, which passes large arrays as memory-mapped files.
    from sklearn.utils.parallel import Parallel, delayed

    pool = Parallel(n_jobs=jobs, backend="loky", batch_size=1, return_as="generator_unordered")
    with _not_interrupted():
        finished = pool(delayed(_call)(os.getpid(), function, item) for item in items)
    with closing(finished):  # ends the processes now, not when Python is being taken down
        yield from progress.track(finished, label, unit, len(items))


@contextmanager
def _not_interrupted() -> Iterator[None]:
    """Processes that are started inside never see Ctrl-C: this one ends them, with one line.

    They inherit that it is ignored. One that comes in this fraction of a second is lost.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _call(parent: int, function: Callable[[Item], Result], item: Item) -> tuple[Item, Result]:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    if os.getppid() == parent:
        leave_with(parent)
    # A sum that is split among threads rounds by their number, which differs between processes.
    with threadpool_limits(1):
        return item, function(item)
