"""Work in parts: each is made once, by some worker, and kept until all of them are there.

A part's name says all that it rests on: its lines, the model, the code and the versions of
the libraries. It is written whole or not at all, and its sha256 after it. So a worker that is
killed loses no line and doubles none, and a command that is started again makes only what is not
there yet, or has changed since.
"""

from __future__ import annotations

import os
import platform
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import lru_cache, partial
from pathlib import Path
from typing import ClassVar

from runs.scale import cluster
from runs.scale.cluster import ROOT, Cluster, Row
from runs.scale.parts import Part
from sts import progress
from sts.cache import key
from sts.errors import StsError
from sts.files import check_writable, lock, sha256_of, sha256_of_bytes, write_bytes

FOLDER = ".parts"
"""Of finished parts, in the folder of the results."""

TRIES = 5
"""Workers that may die over a part, as they do where memory is too small for it."""


class Work(ABC):
    """What is made of a part. It travels to the workers: a frozen record of names."""

    whole_machine: ClassVar[bool] = False
    """Whether a part is worked on by all cores of a machine, instead of one."""

    @property
    def code(self) -> tuple[str, ...]:
        """What makes the result of a part, see :func:`sts.cache.key`."""
        return (type(self).__module__,)

    @abstractmethod
    def rests_on(self) -> object:
        """The model, and what else the result of a part rests on, see :func:`sts.cache.key`."""

    @abstractmethod
    def make(self, part: Part, target: Path) -> None:
        """Write the result of a part, whole or not at all; an :class:`StsError` if it cannot be."""


@contextmanager
def workbench(output: Path) -> Iterator[Path]:
    """A folder for parts in ``output``: kept if the work stops, gone when all is done.

    Raises:
        StsError: ``output`` cannot be written, or another command is at work there.
    """
    check_writable(output)
    folder = (output / FOLDER).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        opened = (folder / "lock").open("wb")
    except OSError as error:
        raise StsError(
            f"{folder}: cannot be written ({error.strerror}); choose another folder with --output"
        ) from None
    with opened:  # closing it lets go of it, whatever happens
        if not lock(opened.fileno(), wait=False):
            raise StsError(
                f"{output}: another command is at work there; wait for it, or choose another folder"
            )
        for tries in folder.glob("*.tries"):
            tries.unlink()
        done = False
        try:
            yield folder
            done = True
        finally:
            if done or not any(folder.glob("*.part")):
                shutil.rmtree(folder, ignore_errors=True)


def make_parts(work: Work, parts: Sequence[Part], folder: Path, where: Cluster) -> list[Path]:
    """The files of all parts, in order: those kept, and the others made now.

    Raises:
        StsError: a part cannot be made, or workers died over it again and again.
    """
    digest = key_of(work)
    names = [sha256_of_bytes(f"{digest} {part.digest}".encode())[:32] for part in parts]
    targets = [folder / f"{name}.part" for name in names]
    todo = {t: part for t, part in zip(targets, parts, strict=True) if not _is_kept(t)}
    if todo:
        rows = [asdict(part) | {"target": str(target)} for target, part in todo.items()]
        label = f"parts ({len(targets) - len(todo)} kept)"
        with cluster.connected(where):
            make = partial(_make, work=work, digest=digest)
            made = cluster.each(make, rows, where, whole_machine=work.whole_machine)
            for row in progress.track(made, label, "parts", len(rows)):
                if row["error"]:
                    raise StsError(row["error"])
    return targets


def _make(row: Row, work: Work, digest: str) -> Row:
    """What a worker does: the message of an error travels back, the error itself would not."""
    target = Path(row["target"])
    part = Part(**{name: value for name, value in row.items() if name != "target"})
    try:
        if not _is_kept(target):  # it is if the worker died after the last line of it
            _count_tries(target, part)
            if key_of(work) != digest:
                raise StsError(
                    f"{platform.node()}: code, libraries, model, resources or the kind of processor "
                    f"({' '.join(_processor())}) differ from those that the command was started "
                    "with; have the same on all machines, and edit nothing meanwhile. "
                    "OPENBLAS_CORETYPE and NUMBA_CPU_NAME make processors alike"
                )
            work.make(part, target)
            write_bytes(_sum_of(target), sha256_of(target).encode())
    except StsError as error:
        return {"error": str(error)}
    return {"error": ""}


def _is_kept(target: Path) -> bool:
    try:
        return _sum_of(target).read_text("ascii", "replace") == sha256_of(target)
    except OSError:
        return False


def _sum_of(target: Path) -> Path:
    return target.with_suffix(".sha256")


def _count_tries(target: Path, part: Part) -> None:
    """Ray would try for ever."""
    try:
        with target.with_suffix(".tries").open("ab") as file:
            file.write(b".")
            tries = file.tell()
    except OSError as error:
        raise StsError(
            f"{target.parent}: cannot be written by a worker ({error.strerror}); "
            "--output must be on a file system that all machines share"
        ) from None
    if tries > TRIES:
        raise StsError(
            f"{part.source}:{part.first}: {TRIES} workers died over the part that begins here, "
            "perhaps for want of memory; give fewer --workers and start again: what is done is kept"
        )


@lru_cache(maxsize=8)
def key_of(work: Work) -> str:
    """The cache key of the result of any part, but for the part itself."""
    return key(*work.code, inputs=[work.rests_on(), _weights(), _processor()])


@lru_cache(maxsize=1)
def _processor() -> list[str]:
    """On what the last digits of sums depend: OpenBLAS and Numba have code for each kind."""
    from llvmlite.binding import get_host_cpu_name  # type: ignore[import-untyped]
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

    blas = {one.get("architecture", "") for one in threadpool_info() if "numpy" in one["filepath"]}
    return [*sorted(blas), os.environ.get("NUMBA_CPU_NAME") or get_host_cpu_name()]


@lru_cache(maxsize=1)
def _weights() -> list[str]:
    """Hashes of the models and word spaces that come with the project."""
    rooms = (ROOT / room for room in ("embeddings", "features", "runs"))
    return [sha256_of(path) for room in rooms for path in sorted(room.rglob("*.safetensors"))]
