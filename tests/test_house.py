"""The house: data flows one way, and imports follow it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

ROOMS = ("sts", "embeddings", "features", "runs", "run_submission")
"""Each may import itself and what stands before it."""

NETWORK = frozenset(
    "urllib http requests socket ssl ftplib urllib3 httpx aiohttp deep_translator".split()
)
MAY_CALL_OUT = {
    "sts/data/fetch.py": {"urllib", "http"},
    "sts/translation/online/http.py": {"requests"},
}
PICKLE = frozenset("pickle _pickle joblib dill cloudpickle shelve marshal".split())

HEAVY = (
    "jax", "sklearn", "gensim", "nltk", "lightgbm", "textblob", "matplotlib", "faiss", "ray",
    "sentencepiece",
)  # fmt: skip


def sources() -> list[str]:
    """Every source file of the house, relative to its root."""
    files = [ROOT / "run_submission.py"]
    for room in ROOMS[:-1]:
        files += sorted((ROOT / room).rglob("*.py"))
    return [file.relative_to(ROOT).as_posix() for file in files]


def imported(path: str, source: str) -> Iterator[tuple[int, str]]:
    """Line and full name of every module that a file imports, wherever in the file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = path.removesuffix(".py").split("/")[: -node.level] if node.level else []
            yield node.lineno, ".".join([*base, *filter(None, [node.module])])
        elif isinstance(node, ast.Call) and called(node) in ("import_module", "__import__"):
            name = node.args[0] if node.args else None
            named = isinstance(name, ast.Constant) and isinstance(name.value, str)
            yield node.lineno, str(name.value) if named else "?"


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def arrows_back(path: str, source: str) -> list[str]:
    """Imports of a room that stands after the file's own."""
    own = ROOMS.index(path.removesuffix(".py").split("/")[0])
    return [
        f"{path}:{line}: {module}"
        for line, module in imported(path, source)
        if module.split(".")[0] in ROOMS[own + 1 :]
    ]


def calls_out(path: str, source: str) -> list[str]:
    """Imports of the network that the file has no business with; "?" is a computed name."""
    allowed = MAY_CALL_OUT.get(path, set()) | (
        {"?"} if path.startswith("sts/translation/online/") else set()
    )
    return [
        f"{path}:{line}: {module}"
        for line, module in imported(path, source)
        if module.split(".")[0] in (NETWORK | {"?"}) - allowed
        and module != "urllib.parse"  # takes addresses apart and calls nobody
    ]


def unpickles(path: str, source: str) -> list[str]:
    """Imports of pickle and its kin, and loaders that unpickle unasked."""
    found = [
        f"{path}:{line}: {module}"
        for line, module in imported(path, source)
        if module.split(".")[0] in PICKLE
    ]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            allowed = [k.value for k in node.keywords if k.arg == "allow_pickle"]
            if any(not isinstance(v, ast.Constant) or v.value is not False for v in allowed):
                found.append(f"{path}:{node.lineno}: allow_pickle")
            match node.func:
                case ast.Attribute(ast.Name("np" | "numpy"), "load") if len(node.args) > 1:
                    found.append(f"{path}:{node.lineno}: np.load with more than a name")
                case ast.Attribute(ast.Name("KeyedVectors" | "LsiModel" | "Dictionary"), "load"):
                    found.append(f"{path}:{node.lineno}: gensim unpickles")
    return found


@pytest.mark.parametrize("path", sources())
def test_every_file_keeps_the_rules(path: str) -> None:
    source = (ROOT / path).read_text(encoding="utf-8")
    assert arrows_back(path, source) == []
    assert calls_out(path, source) == []
    assert unpickles(path, source) == []


def test_all_rooms_are_looked_at() -> None:
    assert {path.removesuffix(".py").split("/")[0] for path in sources()} == set(ROOMS)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("sts/data/pairs.py", "import embeddings.formats.single_file"),
        ("sts/translation/memory/store.py", "from runs import notes"),
        (
            "embeddings/formats/single_file.py",
            "def late():\n    from features.regressors.ensemble import Fusion",
        ),
        ("features/regressors/ensemble.py", "if TYPE_CHECKING:\n    import runs"),
        ("runs/pipeline/task_run.py", "import numpy, run_submission"),
        (
            "features/word_spaces/lsa.py",
            "from importlib import import_module\nimport_module('runs.pipeline.recipe')",
        ),
        ("embeddings/a/b.py", "from ...runs import recipe"),
    ],
)
def test_an_arrow_back_is_seen(path: str, source: str) -> None:
    assert len(arrows_back(path, source)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "runs/pipeline/task_run.py",
            "import sts.data.fetch\nfrom features.regressors.ensemble import Fusion",
        ),
        ("features/word_spaces/lsa.py", "from . import registry"),
        ("run_submission.py", "from runs.pipeline.task_run import predict"),
        ("sts/data/fetch.py", "from runsome import x\nimport embeddingsx"),
    ],
)
def test_an_arrow_ahead_is_let_through(path: str, source: str) -> None:
    assert arrows_back(path, source) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("sts/data/pairs.py", "import urllib.request"),
        ("runs/report/__main__.py", "from http.client import HTTPConnection"),
        ("sts/data/fetch.py", "import requests"),
        ("sts/translation/online/deep_translator_engine.py", "from urllib.request import urlopen"),
        ("embeddings/pretraining/recipe.py", "import importlib\nimportlib.import_module(name)"),
    ],
)
def test_a_call_out_is_seen(path: str, source: str) -> None:
    assert len(calls_out(path, source)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "np.load(path, allow_pickle=True)",
        "numpy.load(path, allow_pickle=flag)",
        "np.load(path, None, True)",
        "KeyedVectors.load(path)",
    ],
)
def test_a_pickle_is_seen(source: str) -> None:
    assert len(unpickles("features/regressors/ensemble.py", source)) == 1
    assert unpickles("features/regressors/ensemble.py", "np.load(path)\nstore.load(path)") == []


# --- what is loaded, and when


def loaded(code: str, folder: Path) -> set[str]:
    """Which of the heavy libraries a fresh interpreter holds after ``code``."""
    script = f"{code}\nimport sys\nprint('\\n' + ' '.join(n for n in {HEAVY} if n in sys.modules))"
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "STS_CACHE": str(folder / "cache")},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return set(ended.stdout.splitlines()[-1].split())


def test_the_command_line_opens_without_heavy_libraries(tmp_path: Path) -> None:
    assert loaded("import run_submission", tmp_path) == set()


def test_scoring_without_tuning_needs_no_jax(tmp_path: Path) -> None:
    code = "import sys, run_submission\nsys.argv[1:] = ['--run', 'raw']\nrun_submission.main()"
    assert "jax" not in loaded(code, tmp_path)
    assert (tmp_path / "output" / "sample" / "raw" / "results.json").is_file()
