"""Every command that the documents name is there, and every link leads somewhere."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from features.resources import Resources
from semaniacs.cli import semaniacs as command

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    path
    for folder in (
        ROOT,
        ROOT / "docs",
        *(ROOT / room for room in ("embeddings", "features", "runs")),
    )
    for path in (folder.glob("*.md") if folder in (ROOT, ROOT / "docs") else folder.rglob("*.md"))
    if path.name != "CHANGELOG.md"
)
OURS = ("sts", "embeddings", "features", "runs", "semaniacs")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_module_that_a_document_runs_is_there(path: Path) -> None:
    named = set(re.findall(r"python -m ([a-z_][\w.]*\w)", path.read_text(encoding="utf-8")))
    ours = {name for name in named if name.split(".")[0] in OURS}
    runnable = {name for name in ours if is_runnable(name)}
    assert ours - runnable == set()


def is_runnable(module: str) -> bool:
    """Whether ``python -m`` finds the module, or the package's ``__main__``."""
    try:
        spec = find_spec(module)
        return spec is not None and (
            not spec.submodule_search_locations or bool(find_spec(f"{module}.__main__"))
        )
    except ModuleNotFoundError:
        return False


def test_a_module_that_is_not_there_is_seen() -> None:
    assert is_runnable("runs.tables")
    assert not is_runnable("runs.readme") and not is_runnable("features.families")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_leads_there(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^\$ semaniacs (.+)\n((?:(?!\$|```).*\n)+)", README, re.MULTILINE)
WITH_ALL_FEATURES = pytest.mark.skipif(
    Resources().missing("wordnet") is not None, reason="the README's figures are with WordNet"
)


@WITH_ALL_FEATURES
@pytest.mark.parametrize(("arguments", "output"), SHOWN)
def test_what_the_readme_shows_is_printed(arguments: str, output: str) -> None:
    assert CliRunner().invoke(command, shlex.split(arguments)).output == output


def test_the_readme_shows_something() -> None:
    assert len(SHOWN) >= 2


@pytest.mark.parametrize("path", ["README.md", "docs/python.md"])
def test_the_python_of_a_document_runs(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / path).read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks), path, "exec"), {})


def test_every_verb_of_the_readme_is_there() -> None:
    verbs = set(re.findall(r"^(?:\$ )?semaniacs ([a-z]+)", README, re.MULTILINE))
    assert verbs and verbs <= set(command.commands)
