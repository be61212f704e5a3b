"""A copy of the checkout in which a page on adding something is followed word for word.

Each block of code that is not a command goes where the sentence above it says: "in `FILE`:", or
"in `TABLE` of `FILE`:" for lines at the end of a table.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.documents.snippets import ROOT, Block, blocks, commands

FOLDERS = ("sts", "embeddings", "features", "runs", "semaniacs", "tests")
FILES = ("pyproject.toml", "pytest_semaniacs.py", "run_submission.py")

BEING_WRITTEN = shutil.ignore_patterns("*.pyc.*", "*.tmp.*")
"""Files that Python and Numba rename when they are complete; other tests may run meanwhile."""

PLACE = re.compile(r"(`(?P<table>\w+)` (in|of) )?`(?P<path>[\w/-]+\.\w+)`:\Z")
"""How the sentence above a block of code ends."""

TABLES = (ast.Dict, ast.List, ast.Tuple, ast.Constant)


@dataclass(frozen=True)
class Checkout:
    """A copy of the checkout.

    Attributes:
        root: its folder, in which commands are run.
        data: a folder for the official data.
        environment: variables for the commands.
        replaced: words of a page, and what stands for them in the copy.
    """

    root: Path
    data: Path
    environment: dict[str, str] = field(default_factory=dict)
    replaced: dict[str, str] = field(default_factory=dict)

    @classmethod
    def copy(cls, folder: Path) -> Checkout:
        """Copy the checkout, and what is compiled in it, into an empty folder."""
        root, data = folder / "checkout", folder / "data"
        for name in FOLDERS:
            shutil.copytree(ROOT / name, root / name, ignore=BEING_WRITTEN)
        for name in FILES:
            shutil.copy2(ROOT / name, root)
        data.mkdir()
        environment = {name: str(folder / name) for name in ("STS_CACHE", "STS_MEMORY")}
        replaced = {".venv/bin/python": shlex.quote(sys.executable), "DIR": str(data)}
        return cls(root, data, environment, replaced)

    def follow(self, section: str) -> list[str]:
        """Do what a section of docs/extending.md says; return what each command prints."""
        path = ROOT / "docs" / "extending.md"
        lines = path.read_text(encoding="utf-8").splitlines()
        headings = [n for n, line in enumerate(lines, 1) if line.startswith("## ")]
        first = lines.index(f"## {section}") + 1
        last = min([n for n in headings if n > first], default=len(lines))
        printed = []
        for block in blocks(path):
            if not first < block.line < last:
                continue
            if found := commands(block):
                printed += [self.run(command.text) for command in found]
            else:
                self.put(block, sentence_above(block, path))
        return printed

    def put(self, block: Block, sentence: str) -> None:
        """Put code where the sentence above it says.

        Raises:
            AssertionError: the sentence names no file, or the file has no such table.
        """
        place = PLACE.search(sentence)
        assert place, f"{block.page}:{block.line}: expected a file above the code, not {sentence!r}"
        path = self.root / place["path"]
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        lines = text.splitlines(keepends=True)
        end = last_line_of(place["table"], text) - 1 if place["table"] else len(lines)
        lines[end:end] = [self.replace(block.text)]
        path.write_text("".join(lines), encoding="utf-8")

    def run(self, command: str) -> str:
        """Run a command of the shell; return what it prints.

        Raises:
            AssertionError: it fails.
        """
        command = self.replace(command)
        ours = ("STS_", "SEMANIACS_")
        given = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        ended = subprocess.run(
            ["bash", "-c", command],
            cwd=self.root,
            env=given | self.environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert ended.returncode == 0, f"{command}\n{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def python(self, code: str) -> str:
        """Run Python code; return what it prints."""
        return self.run(f".venv/bin/python -c {shlex.quote(code)}")

    def replace(self, text: str) -> str:
        """Put the words of the copy for those of the page."""
        for word, other in self.replaced.items():
            text = text.replace(word, other)
        return text


def sentence_above(block: Block, path: Path) -> str:
    """The paragraph above a fenced block, on one line."""
    above = path.read_text(encoding="utf-8").splitlines()[: block.line - 2]
    return " ".join("\n".join(above).rstrip().rpartition("\n\n")[2].split())


def last_line_of(table: str, source: str) -> int:
    """The line, from 1, of the bracket or the quotes at the end of a table of a module.

    Raises:
        AssertionError: there is no such table.
    """
    for statement in ast.parse(source).body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if name == table:
                for node in ast.walk(value):
                    if isinstance(node, TABLES) and (node.end_lineno or 0) > node.lineno:
                        return node.end_lineno or 0
    raise AssertionError(f"no table {table}")
