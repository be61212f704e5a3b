"""How long mining takes and how much memory, at growing sizes; run by runs.benchmarks.bitext_mining.

The vectors are random, 300 numbers with a spectrum that falls as that of sentence vectors does,
and one in forty of a side is a noisy copy of one of the other. They lie on disk, and a fresh
process mines them, both directions, so that its peak memory is that of the mining.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.encoder import unit
from embeddings.formats.numpy_file import RowsOnDisk, write_rows
from embeddings.mining.candidates import both_directions, select_pairs
from embeddings.mining.commands.memory_bound import block_within, memory_size
from embeddings.mining.indexes import BLOCK, Ivf
from embeddings.mining.neighbours import nearest
from embeddings.table import Vectors
from runs.benchmarks.timing import PRINT_PEAK, run_python
from runs.tables.format import markdown_table
from sts.errors import DataError

DIM, BATCH, SHARE, NOISE, K = 300, 16384, 40, 0.5, 4
SEARCHES: dict[str, Ivf | None] = {"exact": None, "ivf": Ivf()}
GROWTH = {"exact": 2.0, "ivf": 1.5}
"""Seconds grow as the number of sentences to this power: of n queries each is compared with n
rows, or with those in 32 of 2 √n clusters."""

FAR = 1_000_000
"""Sentences of a side that the measurements are carried on to, or measured with a bound of memory."""

MEMORY = "4GB"
"""The bound."""

CHECKED = 1000
"""Queries whose exact neighbours the recall of the far measurement is taken from."""

Measured = dict[str, Any]


def write_sides(folder: Path, size: int) -> None:
    """``source.npy`` and ``target.npy``, batch by batch."""
    write_rows(folder / "source.npy", DIM, _batches(size, seed=0))
    write_rows(folder / "target.npy", DIM, _noisy(_batches(size, seed=0), _batches(size, seed=1)))


def _batches(size: int, seed: int) -> Iterator[Vectors]:
    rng = np.random.default_rng(seed)
    spectrum = np.arange(1, DIM + 1, dtype=np.float32) ** -0.5
    for begin in range(0, size, BATCH):
        shape = min(BATCH, size - begin), DIM
        yield unit(rng.standard_normal(shape, np.float32) * spectrum)


def _noisy(copied: Iterator[Vectors], others: Iterator[Vectors]) -> Iterator[Vectors]:
    """The others, but every :data:`SHARE`-th a copy with noise, which the others lend as well."""
    for copy, other in zip(copied, others, strict=True):
        other[::SHARE] = unit(copy[::SHARE] + np.float32(NOISE) * other[::SHARE])
        yield other


def measure_search(sizes: Sequence[int]) -> list[Measured]:
    """One record a size and search: seconds, peak memory, and of ivf its recall of exact."""
    measured = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="mine-") as name:
            folder = Path(name)
            write_sides(folder, size)
            records = [_in_a_fresh_process(folder, search) for search in SEARCHES]
            found = {search: np.load(folder / f"{search}.npy") for search in SEARCHES}
        for search, record in zip(SEARCHES, records, strict=True):
            record |= {"search": search, "sentences": size, "extrapolated": False}
            record["recall"] = round(_recall(found[search], found["exact"]), 4)
            measured.append(record)
    return measured


def measure_far(size: int = FAR, memory: str = MEMORY) -> Measured:
    """The record of ivf at ``size`` sentences a side, within a bound of memory.

    Raises:
        DataError: the process took more memory.
    """
    with tempfile.TemporaryDirectory(prefix="mine-") as name:
        folder = Path(name)
        write_sides(folder, size)
        record = _in_a_fresh_process(folder, "ivf", memory)
        some = RowsOnDisk(folder / "source.npy")[:CHECKED]
        exact = nearest(some, RowsOnDisk(folder / "target.npy"), K).places
        recall = _recall(np.load(folder / "ivf.npy")[:CHECKED], exact)
    if record["peak_mb"] * 2**20 > memory_size(memory):
        raise DataError(f"{record['peak_mb']} MB were taken, more than --memory {memory}")
    about = {"search": "ivf", "sentences": size, "extrapolated": False, "memory": memory}
    return record | about | {"recall": round(recall, 4)}


def with_far(speed: Sequence[Measured], far: Sequence[Measured]) -> list[Measured]:
    """The records with those of :func:`measure_far` in place of what was carried on or was older."""
    searches = {record["search"] for record in far}
    kept = [
        record
        for record in speed
        if not (record["search"] in searches and (record["extrapolated"] or "memory" in record))
    ]
    return [*kept, *far]


def _in_a_fresh_process(folder: Path, search: str, memory: str | None = None) -> Measured:
    """Seconds, and peak memory, which the process prints last."""
    arguments = f"{str(folder)!r}, {search!r}, {memory!r}"
    code = f"from {__name__} import mine; mine({arguments}); {PRINT_PEAK}"
    seconds, kilobytes = run_python("-c", code).split()
    return {"seconds": float(seconds), "peak_mb": round(int(kilobytes) / 1024, 1)}


def _recall(found: np.ndarray[Any, Any], exact: np.ndarray[Any, Any]) -> float:
    """The share of the exact neighbours (n, k) that are among those found (n, k)."""
    return float((exact[:, :, None] == found[:, None, :]).any(axis=2).mean())


def carried_on(measured: Sequence[Measured]) -> list[Measured]:
    """What a million sentences a side would take: not measured, carried on from the largest size.

    Seconds by the power in :data:`GROWTH`; memory along the line through the two largest sizes.
    """
    records = []
    for search, power in GROWTH.items():
        *_, before, last = [{"sentences": 0, "peak_mb": 0.0}] + [
            record for record in measured if record["search"] == search
        ]
        slope = (last["peak_mb"] - before["peak_mb"]) / (last["sentences"] - before["sentences"])
        records.append(
            {
                "seconds": round(last["seconds"] * (FAR / last["sentences"]) ** power),
                "peak_mb": round(last["peak_mb"] + slope * (FAR - last["sentences"])),
                "search": search,
                "sentences": FAR,
                "extrapolated": True,
                "recall": 1.0 if search == "exact" else None,
            }
        )
    return records


def rows_of(measured: Sequence[Measured]) -> list[tuple[str, ...]]:
    """For a table: search, sentences, seconds, memory, recall."""
    return [
        (
            record["search"]
            + (", extrapolated" if record["extrapolated"] else "")
            + (f", --memory {record['memory']}" if "memory" in record else ""),
            f"{record['sentences']:,}",
            f"{record['seconds']:,.1f}",
            f"{record['peak_mb']:,.0f}",
            "" if record["recall"] is None else f"{record['recall']:.3f}",
        )
        for record in measured
    ]


HEADER = ("search", "sentences a side", "seconds", "peak MB", "recall")


def table(measured: Sequence[Measured]) -> str:
    """Markdown: how long each search took, and what that makes for a million sentences a side."""
    return markdown_table(HEADER, rows_of(measured))


def mine(name: str, search: str, memory: str | None) -> None:
    """Mine what lies in a folder, keep the neighbours beside it, print the seconds.

    With a bound of memory also what was found so far is kept, as ``mine --work`` does.
    """
    folder, how = Path(name), SEARCHES[search]
    source, target = (RowsOnDisk(folder / f"{side}.npy") for side in ("source", "target"))
    begin = time.perf_counter()
    block, work = BLOCK, None
    if memory:
        sizes, work = (len(source), len(target)), folder / "work"
        block = block_within(memory_size(memory), sizes, DIM, K, how)
    forward, backward = both_directions(source, target, K, how, block, work)
    select_pairs(forward, backward, "ratio", "max")
    seconds = time.perf_counter() - begin
    np.save(folder / f"{search}.npy", forward.places)
    print(round(seconds, 2))
