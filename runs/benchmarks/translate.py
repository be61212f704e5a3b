"""Sentences translated a second: from the memory, by Apertium, and by a command a sentence.

    python -m runs.benchmarks.translate

A warm memory and a cold one are whole processes of the command line, start-up included.
Beside them stand a pipe that is kept open, asked one sentence after another, and what a
script would do: the ``apertium`` command, once for each sentence. All take turns. The
sentences are those of the sample, numbered so that each is new.

Last, the processor time that Apertium's own programs take: no arrangement of pipes and chunks
translates more sentences a second than it allows.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from embeddings.encoder import threads
from runs.benchmarks.timing import cpu_seconds, run_python, take_turns
from runs.options import new_parser
from runs.pipeline.translate_pairs import spanish_places
from runs.tables.format import text_table
from sts.command_line import run_tool
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.files import write_lines
from sts.translation import Apertium

SENTENCES, KEPT_OPEN, SINGLE, ROUNDS = 10_000, 1000, 20, 3
DIRECTIONS = (("es", "en", "spa-eng"), ("en", "es", "eng-spa"))


class TimedWork(NamedTuple):
    """What is timed, and how many sentences that is."""

    sentences: int
    work: Callable[[], Any]


def sentences_in(language: str) -> list[str]:
    """Distinct sentences of about ten words: the sample's over and over, each with a number."""
    found: list[str] = []
    for dataset in get_task("sample").datasets:
        pairs = load(dataset, None, with_gold=False)
        if "es" in dataset.languages:
            spanish = set(spanish_places(dataset, pairs))
            sides = (pairs.left, pairs.right)
            found += [sides[side][row] for side, row in spanish if language == "es"]
        elif language == "en":
            found += pairs.sentences()
    found = sorted(set(found))
    return [f"{number}: {found[number % len(found)]}" for number in range(SENTENCES)]


def command(source: str, target: str, lines: Path, memory: Path, translator: str) -> None:
    """A fresh process that translates a file."""
    arguments = f"translate {lines} --from {source} --to {target} --translator {translator}"
    run_python("-m", "sts.translation", *arguments.split(), "--memory", str(memory))


def one_by_one(source: str, target: str, texts: Sequence[str]) -> None:
    """A pipe that stays open, its start included."""
    with Apertium().open(source, target) as pipe:
        for text in texts:
            pipe.translate(text)


def once_a_sentence(pair: str, texts: Sequence[str]) -> None:
    """The command as it stands in Apertium's own instructions."""
    for text in texts:
        subprocess.run(
            ["apertium", "-u", pair], input=text.encode(), capture_output=True, check=True
        )


def ways_to_translate(source: str, target: str, pair: str, folder: Path) -> dict[str, TimedWork]:
    """All four, by name; the warm memory is filled on the way."""
    texts = sentences_in(source)
    lines, warm, fresh = folder / "lines.txt", folder / "warm", count()
    write_lines(lines, texts)
    command(source, target, lines, warm, "apertium")
    return {
        "warm memory": TimedWork(
            len(texts), lambda: command(source, target, lines, warm, "memory")
        ),
        "cold, in batches": TimedWork(
            len(texts),
            lambda: command(source, target, lines, folder / f"cold{next(fresh)}", "apertium"),
        ),
        "kept open": TimedWork(KEPT_OPEN, lambda: one_by_one(source, target, texts[:KEPT_OPEN])),
        "a command a sentence": TimedWork(SINGLE, lambda: once_a_sentence(pair, texts[:SINGLE])),
    }


def rows_of(source: str, target: str, pair: str) -> list[tuple[str, ...]]:
    """One row a contestant: name, sentences a second, its ratio to a command a sentence."""
    with tempfile.TemporaryDirectory() as folder:
        timed = ways_to_translate(source, target, pair, Path(folder))
        seconds = take_turns({name: one.work for name, one in timed.items()}, ROUNDS)
    speeds = {name: one.sentences / seconds[name] for name, one in timed.items()}
    slowest = speeds["a command a sentence"]
    return [
        (
            f"{source}->{target}, {name}",
            f"{timed[name].sentences:,}",
            f"{seconds[name]:.2f}",
            f"{speed:,.0f}",
            f"{speed / slowest:,.0f}",
        )
        for name, speed in speeds.items()
    ]


def most_a_second(source: str, target: str) -> str:
    """What Apertium's programs need, in words, measured on one chunk."""
    texts = sentences_in(source)[: Apertium.chunk]
    before = cpu_seconds()
    list(Apertium().translate(texts, source, target))
    each = (cpu_seconds() - before) / len(texts)
    return (
        f"{source}->{target}: {1000 * each:.2f} ms of processor time a sentence, so at most "
        f"{threads() / each:,.0f} sentences a second on {threads()} cores"
    )


def main() -> None:
    """Time both directions and print medians."""
    new_parser("runs.benchmarks.translate", __doc__, data=False).parse_args()
    rows = [row for direction in DIRECTIONS for row in rows_of(*direction)]
    print(text_table(("way", "sentences", "seconds", "sentences/s", "ratio"), rows))
    for source, target, _ in DIRECTIONS:
        print(most_a_second(source, target))


if __name__ == "__main__":
    run_tool(main)
