"""The house: data flows one way, and imports follow it."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from semaniacs.cli import VERBS
from sts.extras import EXTRAS
from tests import layout
from tests.layout import ROOMS, arrows_back, imported, room_of

ROOT = Path(__file__).parents[1]

NETWORK = frozenset(
    "urllib http requests socket ssl ftplib urllib3 httpx aiohttp deep_translator".split()
)
MAY_CALL_OUT = {
    "sts/data/fetch.py": {"urllib", "http"},
    "sts/translation/online/http.py": {"requests", "urllib3"},
    "sts/translation/online/engines/google.py": {"deep_translator"},
    "sts/translation/online/engines/__init__.py": {"?"},  # imports engines by their files' names
    "runs/service/server.py": {"socket"},  # listens, and calls nobody
    "runs/recipes/by_name.py": {"?"},  # imports the recipes by the names of their files
    "semaniacs/__init__.py": {"?"},  # imports the rooms' public names when they are asked for
    "sts/command_line.py": {"?"},  # imports the command that is typed
    "features/registry.py": {"?"},  # imports the families by the names of their files
}
PICKLE = frozenset("pickle _pickle joblib dill cloudpickle shelve marshal".split())

HEAVY = (
    "jax", "sklearn", "gensim", "nltk", "lightgbm", "textblob", "matplotlib", "faiss", "ray",
    "sentencepiece", "numba",
)  # fmt: skip


def sources() -> dict[str, str]:
    """Every source file of the house by its path."""
    files = [ROOT / "run_submission.py"]
    for room in ROOMS[:-1]:
        files += sorted((ROOT / room).rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


SOURCES = sources()
GRAPH = layout.graph_of(SOURCES)

# --- the layout

FOLDERS = {
    "sts": "data text scoring translation",
    "embeddings": "tokenizers compiled transformer formats training bitext mining",
    "features": "families regressors wordnet",
    "runs": "recipes pipeline contribution report tables scale",
}
"""Rooms of the design inside each room; others may be added."""

LONGEST, MEDIAN = 400, 150
"""Lines of a file."""

ENTRIES = {
    "features": 14,
    "features/families": 14,
    "features/regressors": 14,
    "embeddings": 13,
    "embeddings/transformer": 13,
    "runs/pipeline": 14,
}
"""Most entries of a folder where it is not fourteen: a family of features, a benchmark and a
regressor are a file each, and the design names thirteen parts of ``embeddings``; ``features`` says besides what contradicts in words."""

FLOORS = 9
"""Longest chain of imports inside ``runs``."""


def test_the_rooms_are_those_of_the_design() -> None:
    assert {room_of(path) for path in SOURCES} == set(ROOMS)
    for room, folders in FOLDERS.items():
        assert [f for f in folders.split() if f"{room}/{f}/__init__.py" not in SOURCES] == []


def test_every_room_says_what_it_is_for() -> None:
    packages = [path for path in SOURCES if path.endswith("__init__.py")]
    assert [p for p in packages if not ast.get_docstring(ast.parse(SOURCES[p]))] == []


def test_no_two_files_import_each_other() -> None:
    assert layout.circle(GRAPH) == []


def test_runs_has_few_floors() -> None:
    chain = layout.floors(GRAPH, "runs")
    assert len(chain) <= FLOORS, chain


def test_a_name_stands_in_one_place() -> None:
    assert layout.repeated_names(SOURCES) == {}


def test_folders_and_files_are_small() -> None:
    crowded = layout.crowded(SOURCES, 14)
    assert {k: v for k, v in crowded.items() if len(v) > ENTRIES.get(k, 14)} == {}
    lengths = layout.lengths(SOURCES)
    assert {path: n for path, n in lengths.items() if n > LONGEST} == {}
    assert layout.median_length(SOURCES) <= MEDIAN


CIRCLE = {
    "sts/a.py": "import sts.b",
    "sts/b.py": "def late():\n    from sts.c import thing",
    "sts/c.py": "if TYPE_CHECKING:\n    from sts import a",
}


def test_a_planted_circle_is_found() -> None:
    assert set(layout.circle(layout.graph_of(CIRCLE))) == {"sts.a", "sts.b", "sts.c"}
    assert layout.circle(layout.graph_of(CIRCLE | {"sts/c.py": "import sts"})) == []
    through_package = {"sts/d/__init__.py": "from sts.d.e import x", "sts/d/e.py": "import sts.d"}
    assert set(layout.circle(layout.graph_of(through_package))) == {"sts.d", "sts.d.e"}


def test_planted_floors_names_and_crowds_are_found() -> None:
    chain = {f"runs/m{i}.py": f"from runs.m{i + 1} import x" for i in range(8)}
    sources = chain | {"runs/m8.py": "import sts.m9", "sts/m9.py": ""}
    expected = [f"runs.m{i}" for i in range(9)]
    assert layout.floors(layout.graph_of(sources), "runs") == expected
    twice = ["sts/a/x.py", "runs/x.py", "sts/__main__.py", "runs/__main__.py"]
    assert layout.repeated_names(twice) == {"x": ["sts/a/x.py", "runs/x.py"]}
    many = ["a/__init__.py", "a/x.py", "a/b/y.py", "a/b/z.py"]
    assert layout.crowded(many, 1) == {"a": ["b", "x.py"], "a/b": ["y.py", "z.py"]}


# --- what a file may not do


def calls_out(path: str, source: str) -> list[str]:
    """Imports of the network that the file has no business with; "?" is a computed name."""
    allowed = MAY_CALL_OUT.get(path, set())
    return [
        f"{path}:{line}: {module}"
        for line, module in imported(path, source)
        if module.split(".")[0] in (NETWORK | {"?"}) - allowed
        and not module.startswith("urllib.parse")  # takes addresses apart and calls nobody
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


def test_progress_is_shown_in_one_way() -> None:
    drawn = {
        p for p, text in SOURCES.items() if any(m.startswith("tqdm") for _, m in imported(p, text))
    }
    assert drawn == {"sts/progress.py"}


@pytest.mark.parametrize("path", SOURCES)
def test_every_file_keeps_the_rules(path: str) -> None:
    source = SOURCES[path]
    assert arrows_back(path, source) == []
    assert calls_out(path, source) == []
    assert unpickles(path, source) == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("sts/data/pairs.py", "import embeddings.formats.single_file"),
        ("sts/translation/memory/store.py", "from runs import pipeline"),
        (
            "embeddings/formats/single_file.py",
            "def late():\n    from features.regressors.ensemble import Ensemble",
        ),
        ("features/regressors/ensemble.py", "if TYPE_CHECKING:\n    import runs"),
        ("runs/pipeline/task_run.py", "import numpy, run_submission"),
        (
            "features/word_spaces/lsa.py",
            "from importlib import import_module\nimport_module('runs.pipeline.run')",
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
            "import sts.data.fetch\nfrom features.regressors.ensemble import Ensemble",
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
        ("sts/translation/online/engines/google.py", "from urllib.request import urlopen"),
        (
            "embeddings/bitext/named_encoders.py",
            "import importlib\nimportlib.import_module(name)",
        ),
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


def test_a_shipped_fusion_scores_without_heavy_libraries(tmp_path: Path) -> None:
    (tmp_path / "own.tsv").write_text("A dog runs.\tA dog is running.\n", encoding="utf-8")
    code = "import sys\nfrom semaniacs.cli import run\nsys.argv[1:] = ['score', 'own.tsv']\nrun()"
    assert loaded(code, tmp_path) == set()


def test_a_pair_is_explained_without_heavy_libraries(tmp_path: Path) -> None:
    code = "import semaniacs; semaniacs.load('fusion').explain('A dog runs.', 'A dog ran.')"
    assert loaded(code, tmp_path) == set()


def test_every_command_opens_without_the_extras(tmp_path: Path) -> None:
    commands = [
        layout.module_of(path) for path, text in SOURCES.items() if "run_tool(main)" in text
    ]
    commands += sorted({verb.target.partition(":")[0] for verb in VERBS.values()})
    hidden = [library for libraries in EXTRAS.values() for library in libraries]
    code = (
        f"import importlib, sys\nsys.modules.update(dict.fromkeys({hidden}))\n"
        f"for command in {commands}: importlib.import_module(command)"
    )
    assert len(commands) > 15
    loaded(code, tmp_path)


def test_scoring_without_tuning_needs_no_jax(tmp_path: Path) -> None:
    code = "import sys, run_submission\nsys.argv[1:] = ['--run', 'raw']\nrun_submission.main()"
    assert "jax" not in loaded(code, tmp_path)
    assert (tmp_path / "output" / "sample" / "raw" / "results.json").is_file()
