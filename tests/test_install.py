"""The wheel in an empty environment scores, without the extras and without a connection."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Callable, Iterable
from email import message_from_string
from pathlib import Path

import pytest

import semaniacs
from semaniacs.sts.offline import OFFLINE
from tests.layout import ROOMS

ROOT = Path(__file__).parents[1]
PAIRS = (
    "A dog runs in the park.\tA dog is running through a park.\n"
    "A dog runs in the park.\tStocks fell on Friday.\n"
)
NO_CONNECTIONS = """
import sys
def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.bind"):
        raise RuntimeError(f"{event} {arguments}")
sys.addaudithook(refuse)
"""
"""Python imports it as ``sitecustomize`` when it starts."""

pytestmark = pytest.mark.xdist_group("install")  # one worker installs

Ended = subprocess.CompletedProcess[str]
Python = Callable[..., Ended]


def pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*command, *arguments], check=True)


def megabytes(files: Iterable[Path]) -> float:
    return sum(file.stat().st_size for file in files if file.is_file()) / 2**20


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    if os.environ.get(OFFLINE):
        pytest.skip(f"{OFFLINE} is set, and pip needs a connection")
    probe = [sys.executable, "-m", "pip", "download", "--no-deps", "-d", folder, "setuptools>=77"]
    if subprocess.run(probe, capture_output=True, check=False).returncode:
        pytest.skip("no package index can be reached, or pip is not installed")
    (folder / "built").mkdir()
    left_out = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "output", "tests")
    sources = shutil.copytree(ROOT, folder / "sources", ignore=left_out)
    pip("wheel", "--no-deps", "--wheel-dir", str(folder / "built"), str(sources))
    return next((folder / "built").glob("*.whl"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that holds the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    pip("--python", str(python), "install", "-c", str(ROOT / "requirements.txt"), str(wheel))
    return python


@pytest.fixture
def python(environment: Path, tmp_path: Path) -> Python:
    """Python of that environment in a folder of the person's own, which may not connect."""
    (tmp_path / "startup").mkdir()
    (tmp_path / "startup" / "sitecustomize.py").write_text(NO_CONNECTIONS, encoding="utf-8")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "two.tsv").write_text(PAIRS, encoding="utf-8")
    kept = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": "../startup"}

    def run(*arguments: str) -> Ended:
        return subprocess.run(
            [environment, *arguments], cwd=tmp_path / "own", env=kept,
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip

    return run


def test_every_file_of_the_rooms_is_in_the_wheel_and_no_other(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        told = message_from_string(archive.read(metadata).decode())
        entries = archive.read(metadata.replace("METADATA", "entry_points.txt")).decode()
    rooms = [file for room in ROOMS[:-1] for file in (ROOT / room).rglob("*") if file.is_file()]
    inside = (f.relative_to(ROOT).as_posix() for f in rooms if "__pycache__" not in f.parts)
    files = {f"semaniacs/{name.removeprefix('semaniacs/')}" for name in inside}
    assert {n for n in names if ".dist-info/" not in n} == {
        *files,
        "pytest_semaniacs.py",
        "run_submission.py",
    }
    assert "semaniacs/py.typed" in files
    assert (told["Name"], told["Version"]) == ("semaniacs", semaniacs.__version__)
    assert told["License-Expression"] == "MIT"
    assert "[pytest11]\nsemaniacs = pytest_semaniacs" in entries
    assert told.get_payload() == (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["semaniacs score", "semaniacs score --digits 15"])
def test_it_scores_as_the_checkout_does_and_opens_no_connection(
    python: Python, command: str, tmp_path: Path
) -> None:
    ended = python("-m", *command.split(), "two.tsv")
    assert ended.returncode == 0, ended.stderr
    here = subprocess.run(
        [sys.executable, "-m", *command.split(), tmp_path / "own" / "two.tsv"],
        cwd=ROOT, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip
    found, expected = ([float(line) for line in said.stdout.split()] for said in (ended, here))
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_connection_would_be_seen(python: Python) -> None:
    ended = python("-c", "import socket; socket.create_connection(('127.0.0.1', 9))")
    assert "RuntimeError: socket." in ended.stderr


def test_the_core_is_small(wheel: Path, environment: Path, python: Python) -> None:
    heavy = "jax", "torch", "gensim", "faiss", "matplotlib", "sklearn", "scipy", "lightgbm", "ray"
    code = f"from importlib.util import find_spec; print(*filter(find_spec, {heavy}))"
    assert python("-c", code).stdout == "\n"
    (site,) = environment.parents[1].glob("lib/python*/site-packages")
    files = [file for file in site.rglob("*") if "pip" not in file.relative_to(site).parts[0]]
    everything = megabytes(files)
    weights = megabytes(f for f in files if f.suffix == ".safetensors")
    page = " ".join((ROOT / "docs" / "install.md").read_text(encoding="utf-8").split())
    told = re.search(r"wheel is (\S+) MB. .* tables take (\S+) MB and the libraries (\S+) MB", page)
    assert told is not None
    found = (megabytes([wheel]), weights, everything - weights)
    assert [float(number) for number in told.groups()] == pytest.approx(found, rel=0.05)


def test_the_command_is_installed(environment: Path) -> None:
    ended = subprocess.run(
        [environment.with_name("semaniacs"), "--version"], capture_output=True, check=True
    )
    assert ended.stdout.decode() == f"semaniacs {semaniacs.__version__}\n"


def test_a_missing_extra_is_one_line(python: Python) -> None:
    ended = python("-m", "semaniacs", "train", "two.tsv", "-o", "tuned.safetensors")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "error: this needs jax: pip install 'semaniacs[train]'\n"
