"""Command lines of embeddings: a quick start, and old names."""

from __future__ import annotations

import pytest

from tests.sts.running import python


def test_help_needs_no_heavy_library() -> None:
    heavy = "jax numba gensim tokenizers torch sentencepiece sklearn faiss".split()
    modules = ", ".join(
        f"semaniacs.embeddings.cli.{name}"
        for name in ("bitext_commands", "encode", "export", "mine", "search", "train", "tune")
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
