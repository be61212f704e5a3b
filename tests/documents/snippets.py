"""The snippets of the documents: commands with the output that is shown, and Python."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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
    output: str | None

    @property
    def words(self) -> list[str]:
        """The words, with the signs of the shell as words of their own."""
        parts = shlex.shlex(self.text, posix=True, punctuation_chars=True)
        parts.whitespace_split = True
        return list(parts)

    def __str__(self) -> str:
        return f"{self.page}:{self.line}: {self.text}"


def blocks(path: Path) -> Iterator[Block]:
    """The fenced and indented blocks of a document, in order."""
    text = path.read_text(encoding="utf-8")
    page = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name
    fenced = r"^(?P<indent> *)```(?P<language>[\w-]*)\n(?P<code>.*?)^(?P=indent)```$"
    indented = r"(?:(?<=\n\n)|\A)(?P<lines>(?: {4}\S[^\n]*\n(?: {4}[^\n]*\n)*))"
    for found in re.finditer(f"{fenced}|{indented}", text, re.MULTILINE | re.DOTALL):
        code = found["code"] if found["code"] is not None else found["lines"]
        at = found.start("code" if found["code"] is not None else "lines")
        indent = found["indent"] if found["code"] is not None else " " * 4
        yield Block(
            page, text.count("\n", 0, at) + 1, found["language"] or "", _without(indent, code)
        )


def _without(indent: str, code: str) -> str:
    return "".join(line.removeprefix(indent) for line in code.splitlines(keepends=True))


def commands(block: Block) -> list[Command]:
    """The commands of a block of a shell; none if the block is something else."""
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
            shown = found[-1]
            output = f"{shown.output or ''}{line}\n"
            found[-1] = Command(shown.page, shown.line, shown.text, output)
            continue
        while line.endswith("\\"):
            line = line[:-1] + " " + lines[place].strip()
            place += 1
        if typed := without_comment(line.removeprefix("$ ")):
            found.append(Command(block.page, block.line + begin, typed, None))
    return found


def without_comment(line: str) -> str:
    """A line of a shell up to a ``#`` that begins a word."""
    quote = ""
    for place, sign in enumerate(line):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == "#" and (place == 0 or line[place - 1].isspace()):
            return line[:place].rstrip()
    return line.rstrip()


def all_commands() -> list[Command]:
    """Every command of every document."""
    return [command for path in PAGES for block in blocks(path) for command in commands(block)]
