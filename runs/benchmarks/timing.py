"""Timing side by side: contestants take turns, so that the ratio holds when the machine drifts.

Their order is drawn anew for each round: what one leaves behind, in the caches
and in the memory that it gives back, falls on everyone alike.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sts import progress


def take_turns(contestants: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median wall seconds of each, after one call that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for number in progress.bar(range(rounds + 1), desc="rounds"):
        for place in np.random.default_rng(number).permutation(len(contestants)):
            name, work = list(contestants.items())[place]
            begin = time.perf_counter()
            work()
            if number:
                seconds[name].append(time.perf_counter() - begin)
    return {name: statistics.median(times) for name, times in seconds.items()}
