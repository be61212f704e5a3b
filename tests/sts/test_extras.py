"""A library that is not installed is one line, which names the extra that brings it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from semaniacs.sts.errors import EXTRAS
from semaniacs.sts.files import write_lines
from tests.sts.running import ROOT, python

HIDE = (
    "import runpy, sys\n"
    "library, module, *sys.argv[1:] = sys.argv[1:]\n"
    "sys.modules[library] = None\n"
    "runpy.run_module(module, run_name='__main__', alter_sys=True)"
)
"""Runs a command as if a library were not installed."""


@pytest.mark.parametrize(
    ("library", "extra", "command"),
    [
        ("jax", "train", "semaniacs train PAIRS.tsv -o OUTPUT.safetensors"),
        ("jinja2", "report", "semaniacs report --run raw --task sample --output OUTPUT.html"),
        ("pyarrow", "tables", "semaniacs score LINES.parquet"),
        ("openpyxl", "xlsx", "semaniacs score LINES.xlsx"),
        ("openpyxl", "xlsx", "semaniacs score PAIRS.tsv -o OUTPUT.xlsx"),
    ],
)
def test_the_extra_is_named_before_any_work(
    library: str, extra: str, command: str, tmp_path: Path
) -> None:
    left, right = ([f"{text} {number}" for number in range(20)] for text in ("dog", "perro"))
    for name in ("LINES.txt", "LINES.parquet", "LINES.xlsx"):
        write_lines(tmp_path / name, left)
    write_lines(tmp_path / "PAIRS.tsv", map("\t".join, zip(left, right, strict=True)))
    typed = re.sub("LINES|PAIRS|OUTPUT", lambda name: str(tmp_path / name[0]), command)
    ended = python("-c", HIDE, library, *typed.split())
    assert ended.stderr == f"error: this needs {library}: pip install 'semaniacs[{extra}]'\n"
    assert (ended.returncode, ended.stdout) == (2, "")
    assert not [*tmp_path.glob("OUTPUT*")]


def test_a_reproduction_needs_no_picture(tmp_path: Path) -> None:
    typed = ["semaniacs", "reproduce", "sample", "-o", str(tmp_path)]
    ended = python("-c", HIDE, "matplotlib", *typed)
    install = "this needs matplotlib: pip install 'semaniacs[report]'"
    assert f"reproduction.png is left out: {install}\n" in ended.stderr
    assert ended.returncode == 0 and "weighted mean" in ended.stdout
    assert (tmp_path / "sample" / "raw" / "results.json").is_file()
    assert not [*tmp_path.rglob("*.png")]


DISTRIBUTIONS = {"sklearn": "scikit-learn", "faiss": "faiss-cpu"}
"""Distributions with another name than their module."""

SITE = ["mkdocs", "mkdocs-material", "mkdocstrings-python"]
"""Libraries that build the site, which nothing that is installed imports."""

FAILING = (
    "from semaniacs.sts.command_line import run_tool\ndef main(): import {}\nrun_tool(main)".format
)


def test_a_library_of_no_extra_is_named_by_itself() -> None:
    ended = python("-c", FAILING("nowhere.to.be.found"))
    assert (ended.returncode, ended.stderr) == (
        2,
        "error: this needs nowhere: pip install nowhere\n",
    )


@pytest.mark.parametrize("module", ["sts.nowhere", "numpy.nowhere"])
def test_a_fault_of_ours_or_of_a_library_keeps_its_traceback(module: str) -> None:
    ended = python("-c", FAILING(module))
    assert ended.returncode == 1
    assert f"ModuleNotFoundError: No module named '{module}'" in ended.stderr


def test_the_distribution_lists_the_same_extras() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert [need.split(">")[0] for need in extras.pop("docs")] == SITE
    assert extras.pop("all") == [f"semaniacs[{','.join(EXTRAS)}]"]
    names = {library: DISTRIBUTIONS.get(library, library) for e in EXTRAS.values() for library in e}
    assert {
        extra: [re.split(r"[^\w-]", need)[0] for need in needs] for extra, needs in extras.items()
    } == {
        extra: sorted(names[library].replace("_", "-") for library in libraries)
        for extra, libraries in EXTRAS.items()
    }


@pytest.mark.parametrize(
    ("page", "place"),
    [("README.md", r"pip install '\.\[all\]'.*"), ("docs/install.md", r"\| extra \|(?s:.*?)\n\n")],
)
def test_the_installation_names_every_extra(page: str, place: str) -> None:
    told = re.search(place, (ROOT / page).read_text(encoding="utf-8"))
    assert told and [extra for extra in EXTRAS if not re.search(rf"\b{extra}\b", told[0])] == []
