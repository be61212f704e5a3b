"""The Python of the pages and the notebook runs, and gives what is shown."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import textwrap
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.testing import assert_different, assert_similar
from tests.documents.snippets import PAGES, ROOT, Block, blocks

pytestmark = pytest.mark.xdist_group("documents")  # one worker fills the cache

PROGRAMS = [
    path.relative_to(ROOT).as_posix()
    for path in PAGES
    if any(block.language == "python" for block in blocks(path))
    and path.name != "extending.md"  # test_adding.py
]


@pytest.mark.parametrize("page", PROGRAMS)
def test_the_python_of_a_page_runs(page: str, person: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    found = list(blocks(ROOT / page))
    for block, below in zip(found, [*found[1:], None], strict=True):
        if block.language == "python":
            out = io.StringIO()
            try:
                with contextlib.redirect_stdout(out):
                    execute(block, names)
            except ModuleNotFoundError as error:
                if error.name not in ("pandas", "polars", "pyarrow"):
                    raise
                pytest.skip(f"{error.name} is not installed: make peers")
            if below is not None and below.language == "text":
                assert out.getvalue() == below.text
    for name in (name for name in names if name.startswith("test_")):
        fixtures = {"similar": assert_similar, "different": assert_different}
        names[name](**{each: fixtures[each] for each in signature(names[name]).parameters})


def execute(block: Block, names: dict[str, Any]) -> None:
    """Run a block statement by statement, and compare values with the comments behind them."""
    lines = block.text.splitlines()
    for statement in ast.parse(block.text).body:
        code = textwrap.dedent(ast.get_source_segment(block.text, statement, padded=True) or "")
        if isinstance(statement, ast.Expr):
            value = eval(compile(code, block.page, "eval"), names)
            assert statement.end_lineno is not None
            behind = lines[statement.end_lineno - 1].encode()[statement.end_col_offset :].decode()
            compare(value, behind.strip().removeprefix("#").strip())
        else:
            exec(compile(code, block.page, "exec"), names)


def compare(value: Any, comment: str) -> None:
    """The comment is a number, or begins with the shape and perhaps the type of an array."""
    if found := re.match(r"(\(\d+,[ \d]*\))( \w+\d\d)?", comment):
        assert np.shape(value) == ast.literal_eval(found[1])
        assert found[2] is None or str(value.dtype) == found[2].strip()
    elif re.fullmatch(r"-?\d+(\.\d+)?", comment):
        digits = len(comment.partition(".")[2])
        assert f"{value:.{digits}f}" == comment


@pytest.mark.parametrize("path", [*(ROOT / "docs").glob("*.ipynb")], ids=lambda path: path.name)
def test_a_notebook_prints_what_it_shows(path: Path, person: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 3
    for cell in code:
        outputs = [output.get("text") or output["data"]["text/plain"] for output in cell["outputs"]]
        assert run("".join(cell["source"]), names) == "".join(map("".join, outputs))


def run(code: str, names: dict[str, Any]) -> str:
    """What a cell prints, and the value of its last line if that is an expression."""
    tree, printed = ast.parse(code), io.StringIO()
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    return printed.getvalue() + ("" if value is None else repr(value))
