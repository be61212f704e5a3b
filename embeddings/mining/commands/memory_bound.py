"""How many rows a search may hold at once, so that its process stays within a bound of memory."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from embeddings.mining.indexes import BLOCK, Ivf
from sts.errors import StsError

_UNITS = {"K": 10**3, "M": 10**6, "G": 10**9}

_FEWEST = 1024
"""Rows of a block; with fewer, hardly any time goes into comparing."""

_KEPT = 0.92
"""Share of what is free that is planned for; the rest is for what the libraries hold."""

_BUFFERS = 80 * 10**6
"""What products of matrices take, and compiled code, whatever the size of a block."""

_A_SENTENCE = 700
"""Bytes that pairs take for each sentence of both sides, from the search to the lines written."""

_RANKED, _MORE = 1024, 9
"""Queries ranked at once, and neighbours of each beyond k; see :mod:`embeddings.mining.neighbours`."""


def memory_size(text: str) -> int:
    """The type of an option: bytes, as 4GB, 800MB or 1.5G."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG])i?B?", text.strip(), re.IGNORECASE)
    if not found or float(found[1]) == 0:
        raise argparse.ArgumentTypeError(f"{text}; expected a size such as 4GB or 800MB")
    return int(float(found[1]) * _UNITS[found[2].upper()])


def block_within(memory: int, sizes: tuple[int, int], dim: int, k: int, search: Ivf | None) -> int:
    """The largest block of rows with which mining from here on stays within ``memory`` bytes.

    Args:
        memory: most bytes of this process.
        sizes: sentences of both sides.
        dim: of the vectors, float32.
        k: neighbours.
        search: by clusters, or None to compare all.

    Raises:
        StsError: it is too little for any block, or was exceeded already; the message says how
            much is enough.
    """
    import faiss  # noqa: F401  (what they take is to be counted)

    from embeddings.compiled.best_scores import load_compiled

    load_compiled()
    used, most = memory_held("VmRSS") + _BUFFERS, memory_held("VmHWM")
    row = 4 * dim
    neighbours = 24 * k * sum(sizes)  # places and cosines of both directions, one twice for a while
    a_row = 2 * row if search is None else 2 * row + 32  # as they stand, and by cluster
    a_query = 2 * row + 64 * (k + _MORE)
    learning = 0
    if search is not None:
        clusters, probe = search.sizes(max(sizes))
        a_query += 32 * probe
        learning = 3 * 64 * clusters * row + row * min(BLOCK, *sizes)
    ranking = 12 * dim * (k + _MORE) * _RANKED
    least = max(learning, _A_SENTENCE * sum(sizes), ranking + _FEWEST * (a_row + a_query))
    free = int((memory - used) * _KEPT) - neighbours
    if free < least or most > memory:
        enough = max(most, used + (neighbours + least) / _KEPT)
        raise StsError(
            f"--memory {memory / 1e6:,.0f}MB is too little for {sizes[0]:,} and {sizes[1]:,} "
            f"sentences in {dim} dimensions; give --memory {_rounded_up(enough)}MB or more"
        )
    free -= ranking
    with_queries = free // (a_row + a_query)
    block = with_queries if with_queries <= BLOCK else (free - BLOCK * a_query) // a_row
    return min(block, max(*sizes, _FEWEST))


def _rounded_up(size: float) -> int:
    """Megabytes, to the next ten."""
    return int(size / 1e7 + 1) * 10


def memory_held(kind: str) -> int:
    """Bytes that this process holds (VmRSS), or the most that it has held so far (VmHWM).

    Raises:
        StsError: the system does not say.
    """
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return 1024 * int(next(line.split()[1] for line in lines if line.startswith(kind)))
    except (OSError, StopIteration, ValueError):
        raise StsError("--memory needs Linux's /proc; give --block instead") from None
