"""Scoring by several processes on one machine; scores are those of one process."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial

import numpy as np

from semaniacs.features.registry import part_size
from semaniacs.sts.data.pairs import Pairs, Scores
from semaniacs.sts.errors import StsError

Codes = tuple[list[str], list[str]]
"""Language of each left and of each right sentence."""

Predict = Callable[[Pairs, Codes | None], Scores]
"""Function from pairs, and their languages if there are several, to (n,) scores."""


@contextmanager
def shared(load: Callable[[str], Predict], source: str, processes: int) -> Iterator[Predict]:
    """Yield a function that shares its pairs among processes, each of which loads ``source`` once.

    ``load`` is a function of a module. An StsError is raised if it or its function raises one, or
    if a process was killed.
    """
    # Most scores need no second process, and these take long to import.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    context = get_context("spawn")  # a fork would copy locks that threads of libraries hold
    with ProcessPoolExecutor(processes, context, _begin, (os.getpid(),)) as pool:

        def predict(pairs: Pairs, codes: Codes | None) -> Scores:
            size = part_size(len(pairs), processes)
            cuts = [slice(start, start + size) for start in range(0, len(pairs), size)]
            parts = [Pairs(pairs.name, pairs.left[c], pairs.right[c], pairs.gold[c]) for c in cuts]
            languages = [codes and (codes[0][c], codes[1][c]) for c in cuts]
            try:  # giving work to processes that have ended fails as well
                found = pool.map(partial(_predict, load, source), parts, languages)
                return np.concatenate([np.empty(0), *found])
            except BrokenProcessPool:
                raise StsError(
                    f"one of the {processes} processes ended before its work was done, perhaps for "
                    "want of memory; try fewer. (A script that starts processes does its work "
                    "under `if __name__ == '__main__':`)"
                ) from None

        try:
            yield predict
        finally:
            pool.shutdown(cancel_futures=True)


@cache
def leave_with(parent: int) -> None:
    """End this process soon after its parent; otherwise it would wait for work forever."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _begin(parent: int) -> None:
    """Leave Ctrl-C and warnings to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    leave_with(parent)


def _predict(
    load: Callable[[str], Predict], source: str, pairs: Pairs, codes: Codes | None
) -> Scores:
    try:
        return _loaded(load, source)(pairs, codes)
    except StsError as error:  # those of more than one argument cannot be sent
        raise StsError(str(error)) from None


@cache
def _loaded(load: Callable[[str], Predict], source: str) -> Predict:
    return load(source)
