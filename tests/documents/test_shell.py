"""The commands of the documents run and print what is shown."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

from tests.documents.snippets import COMMANDS, ROOT, RUN, Command, blocks
from tests.sts.translation.fakes import HAS_APERTIUM

PAGES = sorted({command.page for command in RUN})
pytestmark = pytest.mark.xdist_group("documents")  # one worker fills the cache


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_run_and_print_what_is_shown(page: str, person: Path) -> None:
    for command in (command for command in RUN if command.page == page and not lacking(command)):
        printed = command.run()
        assert command.output in (None, printed), str(command)


def lacking(command: Command) -> bool:
    """Return whether a command needs a program or a network that is not installed here."""
    return "semaniacs translate" in command.text and not HAS_APERTIUM


def test_the_sample_is_scored_as_the_readme_says(person: Path) -> None:
    (shown,) = (b.text for b in blocks(ROOT / "README.md") if b.text.startswith("fusion on"))
    assert Command("README.md", 1, "semaniacs submit").run() == shown


def test_a_server_answers_what_is_shown(person: Path) -> None:
    pytest.importorskip("fastapi_offline", reason="pip install 'semaniacs[serve]'")
    from semaniacs.runs.service.served_models import ServedModels
    from tests.runs.service.conftest import asking

    asked = [command for command in COMMANDS if command.text.startswith("curl ")]
    assert len(asked) >= 2
    with asking(ServedModels(("raw",), ("paragram",))) as client:
        for command in asked:
            words = shlex.split(command.text)
            header, data = (words[words.index(option) + 1] for option in ("-H", "-d"))
            path = words[2].removeprefix("localhost:8765")
            answer = client.post(path, content=data, headers=dict([header.split(": ")]))
            assert f"{answer.text}\n" == command.output, str(command)


def test_extras_targets_and_paths_that_are_typed_are_there() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    for command in COMMANDS:
        match shlex.split(command.text):
            case ["pip", "install", what] if extras := re.search(r"\[(.+)\]", what):
                assert {*extras[1].split(",")} <= {*project["optional-dependencies"]}
            case ["make", target, *_]:
                assert target in targets
        for path in re.findall(r"-m pytest (\S+)", command.text):
            assert (ROOT / path).exists()
