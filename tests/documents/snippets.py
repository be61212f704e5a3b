"""The snippets of the documents: commands with the output that is shown, and Python."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from click.testing import CliRunner

from semaniacs.cli import semaniacs

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")],
    key=lambda path: path.relative_to(ROOT).as_posix(),
)
BEGINS = re.compile(
    r"(\$ )?(\w+=\S* )*(semaniacs|(\.venv/bin/)?(python|pip)|make|pytest|curl|export|printf|echo|cat|apt-get) "
)
"""How a line of a shell begins."""


@dataclass(frozen=True)
class Block:
    """A block of code.

    Attributes:
        page: its path from the root.
        line: that the code begins in, from 1.
        language: as the fence says; "" for none, and for an indented block.
        text: without the fence and without the indent.
    """

    page: str
    line: int
    language: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command line of a document.

    Attributes:
        page, line: where it begins.
        text: as typed, on one line, without its comment.
        output: what is shown below it; None if nothing is.
    """

    page: str
    line: int
    text: str
    output: str | None = None

    @property
    def arguments(self) -> list[str] | None:
        """Arguments of ``semaniacs`` at the end of the line; None for another program."""
        name, *arguments = shlex.split(self.text.rpartition(" | ")[2])
        return arguments if name == "semaniacs" else None

    def reason(self, reasons: dict[str, str]) -> str | None:
        """Return why the command is in a list."""
        return next((why for how, why in reasons.items() if re.search(how, self.text)), None)

    def run(self) -> str:
        """Run ``semaniacs`` in this process; return what it prints."""
        feed = self.text.rpartition(" | ")[0]
        fed = subprocess.check_output(["bash", "-c", feed]) if feed else b""
        runner = CliRunner()
        ended = runner.invoke(semaniacs, self.arguments, input=fed, catch_exceptions=False)
        assert ended.exit_code in (0, "--pass-from" in self.text), ended.output
        return ended.stdout

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"


def blocks(path: Path) -> Iterator[Block]:
    """Yield the fenced and indented blocks of a document, in order."""
    text = path.read_text(encoding="utf-8")
    page = path.relative_to(ROOT).as_posix()
    fenced = r"^(?P<indent> *)```(?P<language>[\w-]*)\n(?P<code>.*?)^(?P=indent)```$"
    indented = r"(?:(?<=\n\n)|\A)(?P<lines>(?: {4}\S[^\n]*\n(?: {4}[^\n]*\n)*))"
    for found in re.finditer(f"{fenced}|{indented}", text, re.MULTILINE | re.DOTALL):
        kind, indent = ("lines", " " * 4) if found["code"] is None else ("code", found["indent"])
        lines = found[kind].splitlines(keepends=True)
        code = "".join(line.removeprefix(indent) for line in lines)
        yield Block(page, text.count("\n", 0, found.start(kind)) + 1, found["language"] or "", code)


def commands(block: Block) -> list[Command]:
    """Return the commands of a block of a shell; none if the block is something else."""
    lines = block.text.splitlines()
    if block.language not in ("", "sh", "console") or not lines or not BEGINS.match(lines[0]):
        return []
    session = lines[0].startswith("$ ")
    found: list[Command] = []
    place = 0
    while place < len(lines):
        begin, line = place, lines[place]
        place += 1
        if session and not line.startswith("$ "):
            found[-1] = replace(found[-1], output=f"{found[-1].output or ''}{line}\n")
            continue
        while line.endswith("\\"):
            line = line[:-1] + " " + lines[place].strip()
            place += 1
        if typed := without_comment(line.removeprefix("$ ")):
            found.append(Command(block.page, block.line + begin, typed))
    return found


def without_comment(line: str) -> str:
    """Return a line of a shell up to a ``#`` that begins a word outside of quotes."""
    quoted = r"""'[^']*'|"[^"]*"|"""
    found = re.match(rf"(?:{quoted}(?<!\s)#|[^'\"#])*", line)
    return found[0].rstrip() if found and not line.startswith("#") else ""


COMMANDS = [command for path in PAGES for block in blocks(path) for command in commands(block)]
NOT_RUN = {
    r" --data (DIR|ALL)\b": "reads the official data, which is not ours to ship",
    r" --task sts": "reads the official data, which is not ours to ship",
    r"^semaniacs scale ": "starts Ray; tests/runs/test_scale.py runs the three commands",
    r"^semaniacs bitext ": "trains for minutes; tests/embeddings/bitext trains on less",
    r" --model taught": "wants the encoder that the command above it trains",
    r" (--model|info) FOLDER\b": "wants a transformer; tests/embeddings/transformer opens tiny ones",
    r"^semaniacs tune ": "trains a transformer; tests/embeddings/transformer trains tiny ones",
    r"^semaniacs serve": "serves until it is stopped; tests/runs/service starts it",
}
"""Commands that are parsed alone, and why."""

NOT_OURS = {
    r"^curl ": "asked of a server in this process",
    r"^pip install ": "tests/test_install.py installs the wheel; that its extras exist is tested",
    r"^make ": "that the target exists is tested",
    r"^(\w+=\S+ )?(\S*/)?python ": "test_adding.py runs those of docs/extending.md",
    r"^export ": "sets a variable",
}
"""Commands of other programs."""

OURS = [c for c in COMMANDS if c.arguments is not None and c.page != "docs/extending.md"]
RUN = [command for command in OURS if not command.reason(NOT_RUN)]
"""The commands that a test runs here; test_adding.py runs those of docs/extending.md in a copy."""
