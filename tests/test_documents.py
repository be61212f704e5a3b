"""Every command that the documents name is there, and every link leads somewhere."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.documents import running
from tests.documents.reasons import COMMANDS, NOT_OURS, NOT_RUN, RUN, reason
from tests.documents.snippets import Command

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
OURS = ("sts", "embeddings", "features", "runs", "semaniacs", "research")


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
    assert is_runnable("research.speed")
    assert not is_runnable("runs.readme") and not is_runnable("features.families")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_leads_there(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_test_that_a_document_names_is_there(path: Path) -> None:
    named = re.findall(r"`(tests/[\w/.]+)`", path.read_text(encoding="utf-8"))
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_documents_have_commands() -> None:
    assert len(COMMANDS) > 60 and len(RUN) > 20
    assert sum(command.output is not None for command in RUN) > 4


def test_every_command_is_ours_or_of_a_program_that_is_known() -> None:
    strange = [c for c in COMMANDS if not running.program_of(c) and not reason(c, NOT_OURS)]
    assert [str(command) for command in strange] == []
    for reasons in (NOT_RUN, NOT_OURS):
        used = {how for how in reasons for c in COMMANDS if re.search(how, c.text)}
        assert used == {*reasons}


@pytest.mark.parametrize(
    "command",
    [c for c in COMMANDS if running.program_of(c) and c.page != "docs/extending.md"],
    ids=lambda c: f"{c.page}:{c.line}",
)  # test_adding.py runs those of docs/extending.md
def test_the_options_of_a_command_are_those_of_the_program(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "WHEEL").touch()
    monkeypatch.chdir(tmp_path)
    program = running.program_of(command)
    assert program is not None
    running.check_options(program)


@pytest.mark.parametrize(
    "text", ["semaniacs score --rum x", "semaniacs encode", "semaniacs similar -k x y"]
)
def test_an_option_that_is_not_there_is_seen(text: str) -> None:
    program = running.program_of(Command("", 1, text, None))
    assert program is not None
    with pytest.raises(AssertionError):
        running.check_options(program)
