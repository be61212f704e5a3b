"""A file of results for each file of lines."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar

from runs.scale.cluster import Cluster
from runs.scale.parts import Part
from runs.scale.sharing import Work, key_of, make_parts, workbench
from sts import progress
from sts.errors import StsError


class LineWork(Work):
    """What is made of lines, and kept in their order."""

    suffix: ClassVar[str]
    """Of a file of results."""

    @abstractmethod
    def cut(self, source: str) -> list[Part]:
        """The parts of a file, see :func:`runs.scale.parts.cut`."""

    @abstractmethod
    def join(self, made: Sequence[Path], target: Path) -> None:
        """Write the results of all parts into one file, whole or not at all."""


def each_file(work: LineWork, sources: Sequence[str], output: Path, where: Cluster) -> None:
    """Write the results of every file into ``output``, once all of their parts are made.

    Bad input is refused before the work, with an :class:`StsError`.
    """
    targets = results_of(sources, output, work.suffix)
    key_of(work)  # a model that cannot be had is no reason to read on
    files = [work.cut(source) for source in progress.track(sources, "reading", "files")]
    with workbench(output) as folder:
        made = iter(make_parts(work, [part for parts in files for part in parts], folder, where))
        for parts, target in zip(files, targets, strict=True):
            work.join(list(islice(made, len(parts))), target)
    count = len(targets)
    print(f"{count:,} file{'s' * (count != 1)} written to {output}", file=sys.stderr)


def results_of(sources: Sequence[str], output: Path, suffix: str) -> list[Path]:
    """Where the results of each file go: under its name in ``output``, with another suffix.

    Raises:
        StsError: stdin; two files would go to one place; or one would replace what is read.
    """
    if "-" in sources:
        raise StsError("files are read in parts; put stdin into a file and name that")
    targets: dict[Path, str] = {}
    for source in sources:
        target = output / (Path(source.removesuffix(".gz")).stem + suffix)
        if target in targets:
            raise StsError(
                f"{targets[target]} and {source} would both be written to {target}; rename one, "
                "or give them two commands with two folders for --output"
            )
        targets[target] = source
    replaced = {target.resolve() for target in targets}
    for source in sources:
        if Path(source).resolve() in replaced:
            raise StsError(
                f"{source} would be replaced by its results; choose another folder with --output"
            )
    return list(targets)
