"""Score, encode and mine in shards: Ray runs one task per shard, and each result is a file.

Ray sends functions between its own processes by pickle; no file that we read or write is a pickle.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from semaniacs.embeddings import loading
from semaniacs.embeddings.formats.lines import lines
from semaniacs.embeddings.formats.numpy_file import RowsOnDisk, write_rows
from semaniacs.embeddings.mining.bucc import SentenceFile, open_sentences
from semaniacs.embeddings.mining.candidates import select_pairs
from semaniacs.embeddings.mining.corpus_vectors import encode_corpus, mining_encoder
from semaniacs.embeddings.mining.neighbours import Neighbours, nearest
from semaniacs.embeddings.mining.ranked_pairs import rank_pairs, write_bitext
from semaniacs.runs.scorer import load as load_scorer
from semaniacs.sts.data.readers import pairs_from_text
from semaniacs.sts.encodings import decode
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import sha256_of, sha256_of_bytes, split_lines, whole, write_lines
from semaniacs.sts.progress import counted, note, track

LINES = 20_000
FOLDER = ".shards"
"""Folder of finished shards, beside the output; it is removed when all is done."""


class Shard(NamedTuple):
    """Range of bytes of a text file or of rows of a ``.npy`` file, and a file for the result."""

    path: str
    first_line: int
    begin: int
    end: int
    target: str

    def read(self) -> str:
        """Return the lines of the shard."""
        with Path(self.path).open("rb") as file:
            file.seek(self.begin)
            return decode(file.read(self.end - self.begin), self.path, self.first_line)


Work = Callable[[Shard], None]
"""Function of a module, or a partial of one, that writes the target of a shard."""


class Cluster(NamedTuple):
    """HOST:PORT of a Ray cluster (None: this machine), and shards at once (None: one per core)."""

    address: str | None
    jobs: int | None


def cut(source: str, folder: Path, settings: object) -> list[Shard]:
    """Cut a text file into shards; ``settings`` is everything else that results depend on.

    Raises:
        DataError: the file is missing or empty.
        StsError: stdin or a packed file, which cannot be read in parts.
    """
    if source == "-" or source.endswith(".gz"):
        raise StsError(f"{source}: cannot be read in parts; give an unpacked file")
    path, shards, first, begin = Path(source).absolute(), list[Shard](), 1, 0
    if not path.is_file() or not path.stat().st_size:
        raise DataError(f"{source}: missing or empty; expected a file with at least one line")
    key = repr([settings, str(path), path.stat().st_size, path.stat().st_mtime_ns])
    name = sha256_of_bytes(key.encode())[:16]
    with path.open("rb") as file:
        while part := list(islice(file, LINES)):
            end = begin + sum(map(len, part))
            shards.append(Shard(str(path), first, begin, end, str(folder / f"{name}-{begin}")))
            first, begin = first + len(part), end
    return shards


def run(
    work: Work, shards: Sequence[Shard], cluster: Cluster, *, whole_machine: bool = False
) -> None:
    """Write the results of all shards that have none yet; one may need all cores of a machine.

    A worker that dies costs time: Ray runs its shard again. An StsError is raised if a shard
    cannot be made, or if there is no cluster at the address.
    """
    todo = [shard for shard in shards if not Path(shard.target).exists()]
    if not todo:
        return
    with connected(cluster) as ray:
        cores = [node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]]
        cpus = min(filter(None, cores)) if whole_machine else 1
        results = ray.data.range(len(todo), override_num_blocks=len(todo)).map_batches(
            partial(_run, work, todo), batch_size=1, num_cpus=cpus, concurrency=cluster.jobs
        )
        label = f"shards ({len(shards) - len(todo)} already done)"
        for row in track(results.iter_rows(), label, "shards", len(todo)):
            if row["error"]:
                raise StsError(row["error"])


def _run(work: Work, shards: Sequence[Shard], batch: dict[str, Any]) -> dict[str, list[str]]:
    """Make one shard in a worker; the message of an error goes back."""
    try:
        work(shards[int(batch["id"][0])])
    except StsError as error:
        return {"error": [str(error)]}
    return {"error": [""]}


@contextmanager
def connected(cluster: Cluster) -> Iterator[Any]:
    """Connect to Ray, or start it on this machine, where it listens on 127.0.0.1 alone."""
    address = cluster.address or os.environ.get("RAY_ADDRESS") or "local"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    options: dict[str, Any] = {}
    if os.environ.setdefault("RAY_AUTH_MODE", "token") == "token":
        if address == "local":
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        elif not {"RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"} & os.environ.keys():
            raise StsError(f"{address}: set RAY_AUTH_TOKEN to the token of the cluster")
    if address == "local":
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        options = {
            "num_cpus": cluster.jobs,
            "include_dashboard": False,
            "_node_ip_address": "127.0.0.1",
        }
    import ray.data

    above = Path(str(sys.modules["semaniacs"].__file__)).parents[1]
    python_path = [str(above), os.environ.get("PYTHONPATH")]
    variables = {"PYTHONPATH": os.pathsep.join(filter(None, python_path))}
    options |= {"runtime_env": {"env_vars": variables}, "log_to_driver": False}
    try:
        ray.init(address, logging_level=logging.CRITICAL, **options)
    except (ConnectionError, RuntimeError, ValueError) as error:
        first = str(error).strip().partition("\n")[0]
        advice = "see docs/search-and-duplicates.md"
        raise StsError(f"{address}: no Ray cluster there ({first}); {advice}") from None
    ray.data.DataContext.get_current().enable_progress_bars = False
    try:
        yield ray
    finally:
        ray.shutdown()


# One file of results per file


def each_file(
    work: Work, files: Sequence[str], output: Path, suffix: str, settings: object, cluster: Cluster
) -> None:
    """Write ``output/NAME`` and the suffix for each file, when all shards are finished."""
    targets = [output / (Path(file).stem + suffix) for file in files]
    if len(set(targets)) < len(targets):
        raise StsError("two files have the same name; give them two commands with two --output")
    if {target.resolve() for target in targets} & {Path(file).resolve() for file in files}:
        raise StsError(f"{output}: results would replace their file; choose another --output")
    folder = _shard_folder(output)
    cuts = [cut(file, folder, settings) for file in files]
    run(work, list(chain(*cuts)), cluster)
    for shards, target in zip(cuts, targets, strict=True):
        parts = [Path(shard.target) for shard in shards]
        if suffix == ".npy":
            rows = [np.load(part, mmap_mode="r") for part in parts]
            write_rows(target, rows[0].shape[1], rows)
        else:
            with whole(target) as out:
                for part in parts:
                    out.write(part.read_bytes())
    shutil.rmtree(folder)
    note(f"{counted(len(files), 'file')} written to {output}")


def _shard_folder(output: Path) -> Path:
    folder = (output / FOLDER).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def score(shard: Shard, model: str) -> None:
    """Write one score per line, with the digits of ``semaniacs score``."""
    pairs = pairs_from_text(shard.read(), shard.path, shard.first_line)
    scores = scorer(model).model.predict(pairs)
    write_lines(Path(shard.target), (f"{round(score, 4)}" for score in scores.tolist()))


def encode(shard: Shard, model: str, language: str | None) -> None:
    """Write (n, dim) float32 vectors."""
    found = encoder(model, language)
    write_rows(Path(shard.target), found.dim, [found.encode(split_lines(shard.read()))])


scorer, encoder = cache(load_scorer), cache(loading.load)
"""Functions that load a scorer, or an encoder, once per worker."""


# Mining: the vectors are made here, the neighbours are searched in shards


def one_corpus(sources: Sequence[str], path: Path, kind: Any) -> SentenceFile:
    """Open the file of a side; several are written to ``path``, one after the other."""
    if len(sources) > 1:
        write_lines(path, chain.from_iterable(map(lines, sources)))
        sources = [str(path)]
    return open_sentences(sources[0], kind)


def mine_files(
    sides: Sequence[Sequence[str]],
    output: Path,
    model: str,
    languages: Sequence[str | None],
    cluster: Cluster,
    *,
    top_k: int,
    margin: Any,
    candidates: Any,
    threshold: float | None,
    distinct: bool,
    texts: bool,
    input_format: Any,
) -> None:
    """Write the pairs of all files of the left with all of the right side, the best first."""
    folder = _shard_folder(output.parent)
    paths = [folder / "left.npy", folder / "right.npy"]
    corpora = [
        one_corpus(files, path.with_suffix(".txt"), input_format)
        for files, path in zip(sides, paths, strict=True)
    ]
    vectors = [
        encode_corpus(corpus, mining_encoder(model, language), path, distinct=distinct)
        for corpus, language, path in zip(corpora, languages, paths, strict=True)
    ]
    key = "-".join([*(sha256_of(path)[:16] for path in paths), str(top_k)])
    found = []
    for path, other, side in zip(paths, paths[::-1], vectors, strict=True):
        shards = []
        for begin in range(0, len(side.rows), LINES):
            end = min(begin + LINES, len(side.rows))
            target = folder / f"{path.stem}-{key}-{begin}.npz"
            shards.append(Shard(str(path), 1, begin, end, str(target)))
        run(partial(search, other=str(other), k=top_k), shards, cluster, whole_machine=True)
        blocks = [np.load(shard.target) for shard in shards]
        fields = (np.concatenate([block[name] for block in blocks]) for name in Neighbours._fields)
        found.append(Neighbours(*fields))
    pairs = rank_pairs(select_pairs(found[0], found[1], margin, candidates), vectors, corpora)
    if threshold is not None:
        pairs = [pair for pair in pairs if -pair.negated >= threshold]
    write_bitext(output, pairs, corpora, texts=texts)
    shutil.rmtree(folder)


def search(shard: Shard, other: str, k: int) -> None:
    """Write the ``k`` nearest rows of the file ``other`` for each row of the shard."""
    rows = RowsOnDisk(Path(shard.path))[shard.begin : shard.end]
    found = nearest(rows, RowsOnDisk(Path(other)), k)
    with whole(Path(shard.target)) as out:
        np.savez(out, **found._asdict())
