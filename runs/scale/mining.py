"""Translations of each other among the lines of many files, as ``embeddings.mining bitext`` finds.

What costs is to compare all with all: that is shared, a block of rows at a time. All else is
done where the command was started.
"""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from embeddings.mining.bucc import LineFormat, SentenceFile, open_sentences
from embeddings.mining.candidates import select_pairs
from embeddings.mining.concatenated import mining_encoder
from embeddings.mining.corpus_vectors import encode_corpus
from embeddings.mining.ranked_pairs import bitext_lines, rank_pairs
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
    first, seen = files[0], dict[str, str]()
    for file in files:
        if file.format != first.format:
            raise DataError(
                f"{first.source} is read as {first.format} and {file.source} as {file.format}; "
                "say which with --format"
            )
        for number, name in enumerate(file.ids if file.format == "bucc" else (), 1):
            if name in seen:
                raise DataError(
                    f"{file.source}:{number}: id {name!r} is in {seen[name]} too; keep one of them"
                )
            seen[name] = file.source
    ids = list(seen) or [str(n) for n in range(1, sum(len(file.ids) for file in files) + 1)]
    return Corpora(" ".join(sources), first.format, ids, sum(f.filled for f in files), files)


def mine_files(options: Namespace, where: Cluster) -> None:
    """Write the pairs of all source files with all target files, the best first.

    Args:
        options: of the command ``mine``, see :mod:`runs.scale.__main__`.
        where: the cluster that searches.
    """
    output: Path = options.output
    if output.exists() and not output.is_file():
        raise StsError(f"{output}: not a regular file; give --output another")
    corpora = [read_corpora(files, options.format) for files in (options.files, options.against)]
    languages = (options.source_language, options.target_language)
    encoders = [mining_encoder(options.model, language) for language in languages]
    with workbench(output.absolute().parent) as folder:
        sides = [
            encode_corpus(corpus, encoder, folder / name, distinct=options.distinct)
            for corpus, encoder, name in zip(corpora, encoders, SIDES, strict=True)
        ]
        work = Searching(str(folder), options.k)
        parts = work.cut(corpora, sides)
        blocks = make_parts(work, parts, folder, where)
        ahead = sum(part.path.endswith(SIDES[0]) for part in parts)
        both = join_blocks(blocks[:ahead]), join_blocks(blocks[ahead:])
        mined = select_pairs(*both, options.margin, options.candidates)
        found = rank_pairs(mined, sides, corpora)
        if options.threshold is not None:
            found = [pair for pair in found if -pair.negated >= options.threshold]
        write_lines(output, bitext_lines(found, corpora, texts=options.texts))
    print(f"{len(found):,} pairs written to {output}", file=sys.stderr)
