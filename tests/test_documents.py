"""Every command that the documents name is there, and every link leads somewhere."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from docs.site.commands import parse
from tests.documents.snippets import COMMANDS, NOT_OURS, NOT_RUN, OURS, PAGES, ROOT, RUN
from tests.layout import ROOMS

DOCUMENTS = [path for path in PAGES if path.name != "CHANGELOG.md"]
DOCUMENTS += [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.md"))]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_everything_that_a_document_names_is_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for module in re.findall(r"python -m (\w+[\w.]*\w)", text):
        assert module.split(".")[0] not in ROOMS[:-2] and find_spec(module), module
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (path.parent / link).exists(), link
    for test in re.findall(r"`(tests/[\w/.]+)`", text):
        assert (ROOT / test).exists(), test


def test_every_command_is_ours_or_of_a_program_that_is_known() -> None:
    assert len(COMMANDS) > 60 and len(RUN) > 20
    assert sum(command.output is not None for command in RUN) > 4
    strange = [c for c in COMMANDS if c.arguments is None and not c.reason(NOT_OURS)]
    assert [str(command) for command in strange] == []
    for reasons in (NOT_RUN, NOT_OURS):
        assert {how for how in reasons for c in COMMANDS if re.search(how, c.text)} == {*reasons}


def test_the_options_of_a_command_are_those_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "WHEEL").touch()
    monkeypatch.chdir(tmp_path)
    for command in OURS:
        arguments = command.arguments or []
        if not {"-h", "--help"} & {*arguments}:
            try:
                parse(arguments)
            except click.UsageError as error:
                pytest.fail(f"{command}: {error.message}")
