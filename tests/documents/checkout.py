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
PAGE = ROOT / "docs" / "extending.md"


@dataclass(frozen=True)
class Checkout:
    """A copy of the checkout, a folder for the official data, and variables for commands.

    ``replaced`` has words of the page, and what stands for them in the copy.
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
        """Do what a section of the page says; return what each command prints."""
        lines = PAGE.read_text(encoding="utf-8").splitlines()
        headings = [n for n, line in enumerate(lines, 1) if line.startswith("## ")]
        first = lines.index(f"## {section}") + 1
        last = min([n for n in headings if n > first], default=len(lines))
        printed = []
        for block in blocks(PAGE):
            if not first < block.line < last:
                continue
            if found := commands(block):
                printed += [self.run(command.text) for command in found]
            else:
                above = "\n".join(lines[: block.line - 2]).rstrip().rpartition("\n\n")[2]
                self.put(block, " ".join(above.split()))
        return printed

    def put(self, block: Block, sentence: str) -> None:
        """Put code where the sentence above it says; an AssertionError if that is nowhere."""
        place = PLACE.search(sentence)
        assert place, f"{block.page}:{block.line}: expected a file above the code, not {sentence!r}"
        path = self.root / place["path"]
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        lines = text.splitlines(keepends=True)
        end = last_line_of(place["table"], text) - 1 if place["table"] else len(lines)
        lines[end:end] = [self.replace(block.text)]
        path.write_text("".join(lines), encoding="utf-8")

    def run(self, command: str) -> str:
        """Run a command of the shell; return what it prints, or raise an AssertionError."""
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


def last_line_of(table: str, source: str) -> int:
    """Return the line, from 1, of the bracket or the quotes at the end of a table of a module."""
    for statement in ast.parse(source).body:
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        targets = [statement.target] if isinstance(statement, ast.AnnAssign) else targets
        if [ast.unparse(target) for target in targets] == [table]:
            for node in ast.walk(statement.value):  # type: ignore[attr-defined]
                if isinstance(node, TABLES) and (node.end_lineno or 0) > node.lineno:
                    return node.end_lineno or 0
    raise AssertionError(f"no table {table}")
