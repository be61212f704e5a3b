"""Mining of translations in many files: neighbours are searched in shards, all else here."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.mining.bucc import SentenceFile, open_sentences
from embeddings.mining.candidates import select_pairs
from embeddings.mining.corpus_vectors import encode_corpus, mining_encoder
from embeddings.mining.neighbours import Neighbours
from embeddings.mining.ranked_pairs import bitext_lines, rank_pairs
from runs.scale.shards import FOLDER, LINES, Shard, run, search
from sts.errors import DataError
from sts.files import sha256_of, write_lines
from sts.progress import note
from sts.tensors import read_tensors


@dataclass(frozen=True)
class Corpora(SentenceFile):
    """Several files, read as if they were one."""

    files: tuple[SentenceFile, ...]

    def sentences(self) -> Iterator[str]:
        """Return all sentences of all files."""
        return chain.from_iterable(file.sentences() for file in self.files)


def read_corpora(sources: Sequence[str], kind: Any) -> Corpora:
    """Open the files of a side; raise a DataError if their formats differ or an id is in two."""
    files = tuple(open_sentences(source, kind) for source in sources)
    seen: dict[str, str] = {}
    for file in files:
        if file.format != files[0].format:
            raise DataError(f"{file.source} has another format; name one with --input-format")
        for name in file.ids if file.format == "bucc" else ():
            if name in seen:
                raise DataError(f"{file.source}: id {name!r} is in {seen[name]} too; keep one")
            seen[name] = file.source
    ids = list(seen) or [str(n) for n in range(1, sum(len(file.ids) for file in files) + 1)]
    filled = sum(file.filled for file in files)
    return Corpora(" ".join(sources), files[0].format, ids, filled, files)


def mine_files(
    sources: Sequence[str], targets: Sequence[str], output: Path, model: str,
    languages: Sequence[str | None], address: str | None, jobs: int | None, *,
    top_k: int, margin: Any, candidates: Any, threshold: float | None, distinct: bool,
    texts: bool, input_format: Any,
) -> None:  # fmt: skip
    """Write the pairs of all source files with all target files, the best first."""
    corpora = [read_corpora(files, input_format) for files in (sources, targets)]
    encoders = [mining_encoder(model, language) for language in languages]
    folder = (output.parent / FOLDER).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "left.npy", folder / "right.npy"]
    sides = [
        encode_corpus(corpus, encoder, path, distinct=distinct)
        for corpus, encoder, path in zip(corpora, encoders, paths, strict=True)
    ]
    key = "-".join([*(sha256_of(path)[:16] for path in paths), str(top_k)])
    found = []
    for path, other, corpus, side in zip(paths, paths[::-1], corpora, sides, strict=True):
        shards = []
        for begin in range(0, len(side.rows), LINES):
            end = min(begin + LINES, len(side.rows))
            target = folder / f"{path.stem}-{key}-{begin}"
            shards.append(Shard(corpus.source, str(path), begin + 1, begin, end, str(target)))
        work = partial(search, other=str(other), k=top_k)
        run(work, shards, address, jobs, whole_machine=True)
        blocks = [read_tensors(Path(s.target), Neighbours._fields)[0] for s in shards]
        fields = (np.concatenate([block[name] for block in blocks]) for name in Neighbours._fields)
        found.append(Neighbours(*fields))
    pairs = rank_pairs(select_pairs(found[0], found[1], margin, candidates), sides, corpora)
    if threshold is not None:
        pairs = [pair for pair in pairs if -pair.negated >= threshold]
    write_lines(output, bitext_lines(pairs, corpora, texts=texts))
    shutil.rmtree(folder)
    note(f"{len(pairs):,} pairs written to {output}")
