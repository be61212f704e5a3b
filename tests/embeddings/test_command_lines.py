"""What all command lines of embeddings share: help, examples, and a quick start."""

from __future__ import annotations

import pytest

import embeddings.__main__ as of_embeddings
import embeddings.bitext.__main__ as of_bitext
import embeddings.mining.__main__ as of_mining
from tests.sts.running import python

MODULES = {
    "embeddings": of_embeddings,
    "embeddings.bitext": of_bitext,
    "embeddings.mining": of_mining,
}
COMMANDS = [(name, command) for name, module in MODULES.items() for command in module.EXAMPLES]


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_help_shows_examples(name: str, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        MODULES[name].parse([*command.split(), "--help"])
    assert stopped.value.code == 0
    out = capsys.readouterr().out
    assert "examples:\n" in out and f"python -m {name} {command}" in out


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_the_examples_can_be_typed(name: str, command: str) -> None:
    text = (
        MODULES[name].EXAMPLES[command].replace("\\\n", " ").replace("threshold T", "threshold 1")
    )
    typed = [
        line.partition(f"python -m {name} ")[2].partition("  #")[0].split()
        for line in text.splitlines()
        if line.startswith("  ") and f"python -m {name} " in line and "--help" not in line
    ]
    assert typed
    for words in typed:
        assert MODULES[name].parse(words).command == words[0]


@pytest.mark.parametrize("name", MODULES)
def test_help_needs_no_heavy_library(name: str) -> None:
    heavy = "jax numba gensim tokenizers torch sentencepiece sklearn faiss".split()
    code = f"import sys, {name}.__main__\nprint([n for n in {heavy} if n in sys.modules])"
    assert python("-c", code).stdout == "[]\n"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("embeddings similar - --model gone", "unknown encoder or vector file 'gone'"),
        ("embeddings.bitext teach gone -o m.safetensors --language xx", "gone: no such file"),
        ("embeddings.mining score gone --gold gold", "gone: no such file"),
    ],
)
def test_a_module_runs_by_its_name(line: str, error: str) -> None:
    ended = python("-m", *line.split())
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"error: {error}") and ended.stderr.count("\n") == 1
