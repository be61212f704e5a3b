"""The notebook of ``docs`` runs from its first cell to its last, and prints what it shows."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.documents.snippets import ROOT

pytestmark = pytest.mark.xdist_group("documents")
NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))


def run(code: str, names: dict[str, Any]) -> str:
    """What a cell prints, and the value of its last line if that is an expression."""
    tree, printed = ast.parse(code), io.StringIO()
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = None
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # type: ignore[attr-defined]
    return printed.getvalue() + ("" if value is None else repr(value))


def shown(cell: dict[str, Any]) -> str:
    """What is stored below a cell."""
    texts = [output.get("text") or output["data"]["text/plain"] for output in cell["outputs"]]
    return "".join("".join(text) for text in texts)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_prints_what_it_shows(path: Path, person: Path) -> None:
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) >= 3
    for cell in code:
        assert run("".join(cell["source"]), names) == shown(cell)
