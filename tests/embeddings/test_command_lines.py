"""Command lines of embeddings: help with examples, a quick start, and old names."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from semaniacs.cli import semaniacs
from tests.sts.running import python

COMMANDS = (
    "encode", "similar", "keep", "export", "info", "train", "mine", "mine bitext",
    "mine paraphrases", "mine duplicates", "mine score", "mine plant",
    "bitext", "bitext train", "bitext teach", "bitext make", "bitext list",
)  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_examples(command: str) -> None:
    shown = CliRunner().invoke(semaniacs, [*command.split(), "--help"])
    assert shown.exit_code == 0 and f"  semaniacs {command}" in shown.output


def test_help_needs_no_heavy_library() -> None:
    heavy = "jax numba gensim tokenizers torch sentencepiece sklearn faiss".split()
    modules = ", ".join(
        f"semaniacs.embeddings.cli.{name}"
        for name in ("bitext_commands", "encode", "mine", "train")
    )
    code = f"import sys, {modules}\nprint([n for n in {heavy} if n in sys.modules])"
    assert python("-c", code).stdout == "[]\n"


@pytest.mark.parametrize(
    ("module", "advice"),
    [
        ("semaniacs.embeddings.mining", "semaniacs mine"),
        ("semaniacs.embeddings.bitext", "semaniacs bitext"),
        ("embeddings", "semaniacs encode"),
    ],
)
def test_an_old_program_names_the_command(module: str, advice: str) -> None:
    ended = python("-m", module, "encode")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f"error: this program is now a command; type: {advice} --help\n"
