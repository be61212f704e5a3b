"""The sentences that no encoder of ours may be trained on.

    python -m runs.pipeline.tuning.held_out --data DIR -o held-out.txt

writes them one a line, for the option ``--held-out`` of ``python -m embeddings.pretraining``
and ``python -m embeddings.bitext``. DIR holds sts/ and bitext/.
"""

from __future__ import annotations

import html
import sys
from collections.abc import Iterator
from pathlib import Path

from embeddings.training.pairs.corpora import read_corpus
from runs.options import new_parser
from sts.command_line import run_tool
from sts.data.catalog import all_data_sets
from sts.data.fetch import ensure, load
from sts.files import check_writable, read_text, split_lines, write_lines
from sts.text.tokenizer import fold

KEPT_FOR_MINING = tuple(f"ntrex.en-{language}" for language in ("cs", "de", "es", "fr", "ru"))
"""Bitext that mining is measured on."""


def held_out_sentences(official: Path, bitext: Path) -> set[str]:
    """Every sentence of the official STS files and of the bitext kept for mining, folded.

    Args:
        official: folder of the official STS files.
        bitext: folder with ``ntrex.en-XX.tsv.gz``.

    Raises:
        DataError, MissingResourceError: a file is missing or damaged.
    """
    return set(map(fold, read_sentences(official, bitext)))


def read_sentences(official: Path, bitext: Path) -> Iterator[str]:
    """The same sentences as they stand in the files, those of recorded translations too."""
    for dataset in all_data_sets():
        yield from load(dataset, official, with_gold=False).sentences()
    for dataset in all_data_sets():
        if dataset.translation is not None:
            recording = html.unescape(read_text(ensure(dataset.translation, official)))
            cells = (cell for line in split_lines(recording) for cell in line.split("\t"))
            yield from (cell for cell in cells if fold(cell))
    for name in KEPT_FOR_MINING:
        yield from (english for english, _ in read_corpus(bitext / f"{name}.tsv.gz"))


def main() -> None:
    """Write the held-out sentences."""
    parser = new_parser("runs.pipeline.tuning.held_out", __doc__, data=False)
    parser.add_argument("--data", type=Path, required=True, help="folder with sts/ and bitext/")
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="file to write"
    )
    options = parser.parse_args()
    check_writable(options.output.absolute().parent)
    found = dict.fromkeys(read_sentences(options.data / "sts", options.data / "bitext"))
    write_lines(options.output, found)
    print(f"{options.output}: {len(found):,} sentences", file=sys.stderr)


if __name__ == "__main__":
    run_tool(main)
