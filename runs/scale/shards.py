"""Score, encode and search in shards: Ray runs one task per shard, and each result is a file.

Ray sends functions between its own processes by pickle; no file that we read or write is a pickle.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from embeddings import loading
from embeddings.formats.numpy_file import RowsOnDisk, write_rows
from embeddings.mining.neighbours import nearest
from runs.scorer import Scorer
from runs.scorer import load as load_scorer
from sts import progress
from sts.data.pairs import pairs_from_text
from sts.errors import DataError, StsError
from sts.files import decode, sha256_of_bytes, split_lines, whole, write_bytes
from sts.scoring import submission
from sts.tensors import FORMAT, to_bytes

LINES = 20_000
FOLDER = ".shards"
"""Folder of finished shards, beside the output; it is removed when all is done."""


@dataclass(frozen=True)
class Shard:
    """A range of lines of a text file, or of rows of a ``.npy`` file, and a file for the result.

    Attributes:
        source: name of the file in error messages.
        path: absolute path of the file.
        first: number of the first line, from 1.
        begin, end: range of bytes, or of rows.
        target: file to write.
    """

    source: str
    path: str
    first: int
    begin: int
    end: int
    target: str

    def read(self) -> str:
        """Return the lines of the shard."""
        with Path(self.path).open("rb") as file:
            file.seek(self.begin)
            return decode(file.read(self.end - self.begin), self.source, self.first)


def cut(source: str, folder: Path, settings: object) -> list[Shard]:
    """Cut a text file into shards.

    Args:
        source: the file.
        folder: folder for the results.
        settings: everything else that the results depend on, such as the model.

    Raises:
        DataError: the file is missing or empty.
        StsError: stdin or a packed file, which cannot be read in parts.
    """
    if source == "-" or source.endswith(".gz"):
        raise StsError(f"{source}: cannot be read in parts; give an unpacked file")
    path, shards, first, begin = Path(source).absolute(), list[Shard](), 1, 0
    if not path.is_file() or not path.stat().st_size:
        raise DataError(f"{source}: missing or empty; expected a file with at least one line")
    state = path.stat()
    key = repr([settings, str(path), state.st_size, state.st_mtime_ns])
    name = sha256_of_bytes(key.encode())[:16]
    with path.open("rb") as file:
        while lines := list(islice(file, LINES)):
            end = begin + sum(map(len, lines))
            target = folder / f"{name}-{len(shards)}"
            shards.append(Shard(source, str(path), first, begin, end, str(target)))
            first, begin = first + len(lines), end
    return shards


def run(
    work: Callable[[Shard], None],
    shards: Sequence[Shard],
    address: str | None,
    jobs: int | None,
    *,
    whole_machine: bool = False,
) -> None:
    """Write the results of all shards that have none yet.

    A worker that dies costs time: Ray runs its shard again.

    Args:
        work: function of a module, or a partial of one; it writes ``shard.target``.
        shards: what it is called with.
        address: of a Ray cluster; None starts one on this machine.
        jobs: number of shards at once; None: one per core.
        whole_machine: whether one shard uses all cores of a machine.

    Raises:
        StsError: a shard cannot be made, or there is no cluster at the address.
    """
    todo = [shard for shard in shards if not Path(shard.target).exists()]
    if not todo:
        return
    with connected(address, jobs) as ray:
        machines = [node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]]
        rows = ray.data.range(len(todo), override_num_blocks=len(todo))
        results = rows.map_batches(
            partial(_run, work, todo),
            batch_size=1,
            num_cpus=min(filter(None, machines)) if whole_machine else 1,
            concurrency=jobs,
        )
        label = f"shards ({len(shards) - len(todo)} already done)"
        for row in progress.track(results.iter_rows(), label, "shards", len(todo)):
            if row["error"]:
                raise StsError(row["error"])


def _run(
    work: Callable[[Shard], None], shards: Sequence[Shard], batch: dict[str, Any]
) -> dict[str, list[str]]:
    """Make one shard in a worker; the message of an error goes back."""
    try:
        work(shards[int(batch["id"][0])])
    except StsError as error:
        return {"error": [str(error)]}
    return {"error": [""]}


@contextmanager
def connected(address: str | None, jobs: int | None) -> Iterator[Any]:
    """Connect to Ray, or start it on this machine, where it listens on 127.0.0.1 alone."""
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    options: dict[str, Any] = {}
    if os.environ.setdefault("RAY_AUTH_MODE", "token") == "token":
        if address == "local":
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        elif not {"RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"} & os.environ.keys():
            raise StsError(f"{address}: set RAY_AUTH_TOKEN to the token of the cluster")
    if address == "local":
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        options = {"num_cpus": jobs, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    import ray.data

    root = str(Path(__file__).parents[2])
    python_path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    options["runtime_env"] = {"env_vars": {"PYTHONPATH": python_path}}
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.CRITICAL, **options)
    except (ConnectionError, RuntimeError, ValueError) as error:
        first = str(error).strip().partition("\n")[0]
        raise StsError(
            f"{address}: no Ray cluster there ({first}); see docs/search-and-duplicates.md"
        ) from None
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield ray
    finally:
        ray.shutdown()


# Work on one shard


def score(shard: Shard, model: str) -> None:
    """Write one score per line."""
    pairs = pairs_from_text(shard.read(), shard.source, shard.first)
    scores = scorer(model).model.predict(pairs)
    submission.write(Path(shard.target), scores, submission.PEOPLES_DIGITS)


def encode(shard: Shard, model: str, language: str | None) -> None:
    """Write (n, dim) float32 vectors."""
    found = encoder(model, language)
    write_rows(Path(shard.target), found.dim, [found.encode(split_lines(shard.read()))])


def search(shard: Shard, other: str, k: int) -> None:
    """Write the ``k`` nearest rows of the file ``other`` for each row of the shard."""
    rows = RowsOnDisk(Path(shard.path))[shard.begin : shard.end]
    found = nearest(rows, RowsOnDisk(Path(other)), k)
    write_bytes(Path(shard.target), to_bytes(found._asdict(), {"format": FORMAT}))


@cache
def scorer(model: str) -> Scorer:
    """Load a scorer once per worker."""
    return load_scorer(model)


@cache
def encoder(model: str, language: str | None) -> Any:
    """Load an encoder once per worker."""
    return loading.load(model, language)


def join_scores(parts: Sequence[Path], target: Path) -> None:
    """Write the lines of all shards into one file."""
    with whole(target) as out:
        for path in parts:
            out.write(path.read_bytes())


def join_vectors(parts: Sequence[Path], target: Path) -> None:
    """Write the rows of all shards into one ``.npy`` file."""
    rows = [np.load(path, mmap_mode="r") for path in parts]
    write_rows(target, rows[0].shape[1], rows)
