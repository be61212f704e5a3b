"""``mine duplicates``: groups of lines that mean the same, and which to keep."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import get_args

import numpy as np

from embeddings.bitext.identifying import note_languages
from embeddings.encoder import unit
from embeddings.formats.lines import write_out
from embeddings.formats.numpy_file import RowsOnDisk, write_rows
from embeddings.loading import DEFAULT, ENGLISH
from embeddings.mining.commands.mining_options import Options, Parser, check_output
from embeddings.mining.concatenated import MiningEncoder, mining_encoder, parts_of
from embeddings.mining.corpus_vectors import check_room
from embeddings.mining.duplicates.close_pairs import ClosePairs, close_pairs, pairwise_cosines
from embeddings.mining.duplicates.copies import Copies
from embeddings.mining.duplicates.group_lines import FORMATS
from embeddings.mining.duplicates.grouping import Grouping, Keep, Places
from embeddings.mining.duplicates.groups import DuplicateGroup, find_groups
from embeddings.mining.duplicates.in_memory import THRESHOLD, check_threshold
from embeddings.mining.duplicates.pairs_file import (
    PairsHead,
    read_head,
    read_pairs_file,
    write_pairs_file,
)
from embeddings.mining.neighbours import Floats
from embeddings.table import Vectors
from sts import progress
from sts.data.tables.pair_options import add_format
from sts.data.tables.table_kinds import ending_of, is_table
from sts.data.tables.text_rows import Reading, TextRows
from sts.errors import DataError, StsError
from sts.files import check_distinct, sha256_of, temporary_folder
from sts.progress import counted
from sts.text.not_english import watching

EXAMPLES = """\
examples:
  python -m embeddings.mining duplicates questions.txt
  python -m embeddings.mining duplicates questions.csv --text question --id qid \\
      -o groups.tsv --kept distinct.csv --pairs pairs.tsv
  python -m embeddings.mining duplicates --from-pairs pairs.tsv --threshold 0.95

FILE has a sentence a line, or is CSV, TSV, lines of JSON or Parquet; gzip too. Every pair above
the threshold is found: the search is exact and nothing is cut off. Copies that differ in white
space alone are always duplicates; blank rows never are. Without --id rows are counted from 1.

star: every member is at least the threshold similar to the one that is kept. components: all that
pairs connect is a group; members may be far apart.

--pairs keeps all pairs from --lowest on, so that --from-pairs makes the groups of a higher
threshold, or of another --keep or --groups, without a new search: the same bytes.
"""

_BATCH = 65536
"""Sentences encoded at once."""


def add_options(parser: Parser) -> None:
    """The options of the command."""
    add = parser.add_argument
    add("file", metavar="FILE", nargs="?", help="sentences; not needed with --from-pairs")
    add("--text", metavar="COL", help="column of the sentences; a number without a header")
    add("--id", metavar="COL", help="column of ids (default: number of the row)")
    add_format(parser)
    lowest = f"lowest cosine of duplicates (default: {THRESHOLD})"
    add("--threshold", type=float, default=THRESHOLD, metavar="COSINE", help=lowest)
    add(
        "--keep",
        choices=get_args(Keep),
        default="first",
        help="which of a group: the first in the file (default), the longest or shortest, or the "
        "one that most lines are close to",
    )
    add(
        "--groups",
        choices=get_args(Grouping),
        default="star",
        help="who is in a group (default: star)",
    )
    add("-o", "--output", type=Path, metavar="FILE", help="groups (default: stdout)")
    add("--format", choices=[*FORMATS], help="of the groups (default: by the name of OUTPUT)")
    add("--kept", type=Path, metavar="FILE", help="write the rows that stay, as they were")
    add("--pairs", type=Path, metavar="FILE", help="write all pairs with their cosines")
    upwards = "with --pairs: cosine of the lowest pair (default: 0.8, or the threshold if lower)"
    add("--lowest", type=float, metavar="COSINE", help=upwards)
    add("--from-pairs", metavar="PAIRS", help="what --pairs wrote, instead of a new search")
    add("--model", metavar="MODEL", help=f"that encodes (default: {DEFAULT}, for English)")
    add("--language", metavar="LANG", help="of the sentences, as es; or auto")
    parser.set_defaults(run=duplicates)


def duplicates(options: Options) -> None:
    """Write the groups of a file, the rows that stay, and the pairs."""
    head = _head(options)
    outputs = [p for p in (options.output, options.kept, options.pairs) if p is not None]
    for output in outputs:
        check_output(output)
    check_distinct(head.file, *outputs, options.from_pairs)
    write_as = options.format or _format_of(options.output)
    rows = TextRows(
        head.file, Reading(head.text, head.id, head.header, head.read_as, head.delimiter)
    )
    copies = Copies(progress.track(rows.texts(), f"reading {head.file}", "lines"))
    ids = rows.ids(len(copies.text_of))
    if options.from_pairs:
        pairs = read_pairs_file(options.from_pairs, head, copies, ids)
    else:
        pairs = _search(rows, copies, head)
    if options.pairs:
        written = write_pairs_file(options.pairs, head, pairs, copies, ids)
        found = counted(written, "pair")
        progress.note(f"{found} from {head.lowest:g} on written to {options.pairs}")

    def far(some: Places, others: Places) -> Floats:
        return _far_cosines(rows, copies, head, some, others)

    close = pairs.at_least(options.threshold)
    groups = find_groups(copies, close, options.keep, options.groups, far)
    texts = rows.some_texts({row for group in groups for row in group.rows})
    write_out(FORMATS[write_as](groups, ids, texts), options.output)
    if options.kept:
        kept = np.ones(len(copies.text_of), bool)
        kept[[row for group in groups for row in group.rows[1:]]] = False
        rows.write_kept(kept, options.kept)
    progress.note(_summary(copies, groups))


def _format_of(output: Path | None) -> str:
    """The format that the name of a file of groups stands for."""
    ending = "" if output is None else ending_of(str(output))
    if ending not in FORMATS and output is not None and is_table(str(output)):
        raise StsError(f"{output}: groups are TSV or lines of JSON; name it .tsv or .jsonl")
    return ending if ending in FORMATS else "table"


def _head(options: Options) -> PairsHead:
    """What is compared, from the options or from the file of pairs."""
    check_threshold(options.threshold, "--threshold")
    if options.from_pairs is None:
        return _head_of_options(options)
    for name in (
        "text",
        "id",
        "header",
        "delimiter",
        "read_as",
        "model",
        "language",
        "pairs",
        "lowest",
    ):
        if getattr(options, name) is not None:
            option = "from" if name == "read_as" else name
            raise StsError(f"--{option} has no meaning with --from-pairs; leave it out")
    head = read_head(options.from_pairs)
    file = options.file or head.file
    if not Path(file).is_file():
        raise DataError(f"{file}: no such file; name the file that {options.from_pairs} is about")
    if sha256_of(Path(file)) != head.sha256:
        raise DataError(f"{file}: not the file that {options.from_pairs} was made from; mine anew")
    if options.threshold < head.lowest:
        raise StsError(
            f"--threshold {options.threshold:g}: {options.from_pairs} has pairs from "
            f"{head.lowest:g} on; mine anew with --lowest {options.threshold:g}"
        )
    return PairsHead(**{**vars(head), "file": file})


def _head_of_options(options: Options) -> PairsHead:
    if options.file is None:
        raise StsError("no FILE; name the file with the sentences, or --from-pairs PAIRS")
    if options.lowest is not None and options.pairs is None:
        raise StsError("--lowest has no meaning without --pairs; leave it out")
    lowest = min(options.threshold, 0.8) if options.lowest is None else options.lowest
    check_threshold(lowest, "--lowest")
    if lowest > options.threshold:
        raise StsError(
            f"--lowest {lowest:g} is above --threshold {options.threshold:g}; give a lower one"
        )
    return PairsHead(
        file=options.file,
        sha256=sha256_of(Path(options.file)) if Path(options.file).is_file() else "",
        text=options.text,
        id=options.id,
        header=options.header,
        read_as=options.read_as,
        model=options.model or DEFAULT,
        language=options.language,
        lowest=lowest if options.pairs else options.threshold,
        delimiter=options.delimiter,
    )


def _search(rows: TextRows, copies: Copies, head: PairsHead) -> ClosePairs:
    """The pairs of the distinct texts from the lowest cosine on, by vectors on disk."""
    encoder = mining_encoder(head.model, head.language)
    with (
        temporary_folder("mining") as folder,
        watching(head.model, ENGLISH, "--language") as seen,
    ):
        path = folder / "rows.npy"
        check_room(path.parent, 4 * encoder.dim * len(copies.first))
        write_rows(
            path, encoder.dim, _vectors(seen(copies.distinct(rows.texts())), encoder, copies)
        )
        note_languages(parts_of(encoder), head.model, "--language")
        return close_pairs(RowsOnDisk(path), head.lowest)


def _vectors(texts: Iterator[str], encoder: MiningEncoder, copies: Copies) -> Iterator[Vectors]:
    """Vectors of length 1, batch by batch; how many texts have none is noted."""
    without = 0
    with progress.Bar("vectors", "sentences", len(copies.first)) as bar:
        while batch := list(islice(texts, _BATCH)):
            vectors = encoder.encode(batch)
            without += int((~vectors.any(axis=1)).sum())
            yield unit(vectors)
            bar.update(len(batch))
    if without:
        progress.note(f"{without:,} distinct lines have no word that the model knows: only copies")


def _far_cosines(
    rows: TextRows, copies: Copies, head: PairsHead, some: Places, others: Places
) -> Floats:
    """Cosines of texts in one component that no pair connects: they are encoded again."""
    numbers, places = np.unique(np.concatenate([some, others]), return_inverse=True)
    wanted = frozenset(numbers.tolist())
    texts = enumerate(copies.distinct(rows.texts()))
    encoder = mining_encoder(head.model, head.language)
    vectors = unit(encoder.encode([text for number, text in texts if number in wanted]))
    return pairwise_cosines(vectors, vectors, places[: len(some)], places[len(some) :])


def _summary(copies: Copies, groups: list[DuplicateGroup]) -> str:
    lines = len(copies.text_of)
    duplicate = sum(len(group.rows) - 1 for group in groups)
    blank = f" ({copies.blank:,} blank)" if copies.blank else ""
    return (
        f"{counted(lines, 'line')}{blank}, {len(copies.first):,} distinct, "
        f"{counted(len(groups), 'group')}, {counted(duplicate, 'duplicate')}; "
        f"{lines - duplicate:,} stay"
    )
