"""Sentences that no encoder of ours may be trained on.

    python -m semaniacs.runs.pipeline.tuning.held_out --data DIR -o held-out.txt

writes them for ``--held-out`` of ``python -m semaniacs.runs.recipes.shipped_vectors`` and
``semaniacs bitext``. DIR contains sts/ and bitext/.
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from pathlib import Path

import click

from semaniacs.embeddings.training.corpora import read_corpus
from semaniacs.sts.command_line import data_option, examples, output_option, run_tool
from semaniacs.sts.data.catalog import all_data_sets
from semaniacs.sts.data.fetch import ensure, load
from semaniacs.sts.files import check_writable, read_text, split_lines, write_lines
from semaniacs.sts.text.tokenizer import fold

KEPT_FOR_MINING = tuple(f"ntrex.en-{language}" for language in ("cs", "de", "es", "fr", "ru"))
"""Bitext that mining is measured on."""


def held_out_sentences(official: Path, bitext: Path) -> set[str]:
    """Return every sentence of the official STS files and of the bitext kept for mining, folded."""
    return set(map(fold, read_sentences(official, bitext)))


def read_sentences(official: Path, bitext: Path) -> Iterator[str]:
    """Yield these sentences as they are in the files, and recorded translations too."""
    for dataset in all_data_sets():
        yield from load(dataset, official, with_gold=False).sentences()
    for dataset in all_data_sets():
        if dataset.translation is not None:
            recording = html.unescape(read_text(ensure(dataset.translation, official)))
            cells = (cell for line in split_lines(recording) for cell in line.split("\t"))
            yield from (cell for cell in cells if fold(cell))
    for name in KEPT_FOR_MINING:
        yield from (english for english, _ in read_corpus(bitext / f"{name}.tsv.gz"))


@click.command(
    epilog=examples("python -m semaniacs.runs.pipeline.tuning.held_out --data DIR -o FILE")
)
@data_option(required=True, help="Folder with sts/ and bitext/.")
@output_option(required=True, help="File to write.")
def main(data: Path, output: Path) -> None:
    """Write the held-out sentences, one per line."""
    check_writable(output.absolute().parent)
    found = dict.fromkeys(read_sentences(data / "sts", data / "bitext"))
    write_lines(output, found)
    click.echo(f"{output}: {len(found):,} sentences", err=True)


if __name__ == "__main__":
    run_tool(main)
