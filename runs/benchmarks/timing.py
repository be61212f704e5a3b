"""Timing side by side, in turns, so that a ratio holds when the speed of the machine changes.

The order is drawn anew for each round: what one piece of work leaves behind, in caches and in the
memory that it frees, affects all of them alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sts import progress


def take_turns(work: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median wall seconds of each piece of work, after one call that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for number in progress.bar(range(rounds + 1), desc="rounds"):
        for place in np.random.default_rng(number).permutation(len(work)):
            name, call = list(work.items())[place]
            begin = time.perf_counter()
            call()
            if number:
                seconds[name].append(time.perf_counter() - begin)
    return {name: statistics.median(times) for name, times in seconds.items()}
