"""Translations of each other among the lines of many files, as ``embeddings.mining bitext`` finds.

What costs is to compare all with all: that is shared, a block of rows at a time. All else is
done where the command was started.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from embeddings.mining.bucc import LineFormat, SentenceFile, open_sentences
from embeddings.mining.candidates import Candidates, select_pairs
from embeddings.mining.concatenated import mining_encoder
from embeddings.mining.corpus_vectors import encode_corpus
from embeddings.mining.margin import Margin
from embeddings.mining.mining_commands import bitext_lines, rank_pairs
from runs.scale.cluster import Cluster
from runs.scale.searching import SIDES, Searching, join_blocks
from runs.scale.sharing import make_parts, workbench
from sts.errors import DataError, StsError
from sts.files import write_lines


@dataclass(frozen=True)
class Corpora(SentenceFile):
    """Several files, read as if they were one.

    Attributes:
        files: in order.
    """

    files: tuple[SentenceFile, ...]

    def sentences(self) -> Iterator[str]:
        """All sentences of all files."""
        return chain.from_iterable(file.sentences() for file in self.files)


def read_corpora(sources: Sequence[str], kind: LineFormat | None = None) -> Corpora:
    """Look through the files of a side. The lines of plain ones are numbered through.

    Raises:
        DataError: see :func:`~embeddings.mining.bucc.open_sentences`; or some files have ids
            and some have not, or an id is in two of them.
    """
    files = tuple(open_sentences(source, kind) for source in sources)
    first = files[0]
    for file in files:
        if file.format != first.format:
            raise DataError(
                f"{first.source} is read as {first.format} and {file.source} as {file.format}; "
                "say which with --format"
            )
    ids = [name for file in files for name in file.ids]
    if first.format == "bucc":
        _check_once(files)
    else:
        ids = [str(number) for number in range(1, len(ids) + 1)]
    return Corpora(" ".join(sources), first.format, ids, sum(f.filled for f in files), files)


def _check_once(files: Sequence[SentenceFile]) -> None:
    seen: dict[str, str] = {}
    for file in files:
        for number, name in enumerate(file.ids, 1):
            if name in seen:
                raise DataError(
                    f"{file.source}:{number}: id {name!r} is in {seen[name]} too; keep one of them"
                )
            seen[name] = file.source


def mine_files(
    sources: Sequence[str],
    targets: Sequence[str],
    output: Path,
    model: str,
    languages: tuple[str | None, str | None],
    where: Cluster,
    *,
    k: int,
    margin: Margin,
    candidates: Candidates,
    kind: LineFormat | None = None,
    threshold: float | None = None,
    distinct: bool = False,
    texts: bool = False,
) -> None:
    """Write the pairs of all source files with all target files, the best first.

    Raises:
        StsError: bad input, or what :func:`runs.scale.sharing.make_parts` says.
    """
    if output.exists() and not output.is_file():
        raise StsError(f"{output}: not a regular file; give --output another")
    corpora = [read_corpora(files, kind) for files in (sources, targets)]
    encoders = [mining_encoder(model, language) for language in languages]
    with workbench(output.absolute().parent) as folder:
        sides = [
            encode_corpus(corpus, encoder, folder / name, distinct=distinct)
            for corpus, encoder, name in zip(corpora, encoders, SIDES, strict=True)
        ]
        work = Searching(str(folder), k)
        parts = work.cut(corpora, sides)
        made = make_parts(work, parts, folder, where)
        ahead = sum(part.path.endswith(SIDES[0]) for part in parts)
        mined = select_pairs(
            join_blocks(made[:ahead]), join_blocks(made[ahead:]), margin, candidates
        )
        found = rank_pairs(mined, sides, corpora)
        if threshold is not None:
            found = [pair for pair in found if -pair.negated >= threshold]
        write_lines(output, bitext_lines(found, corpora, texts=texts))
    print(f"{len(found):,} pairs written to {output}", file=sys.stderr)
