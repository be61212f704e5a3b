"""What the scripts of the page compute, run by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from semaniacs.runs import service

PAGE = """
const node = () => ({ addEventListener() {}, replaceChildren() {}, append() {}, setAttribute() {}, classList: { toggle() {} }, style: {} });
const nodes = {}, sessionStorage = { getItem() {} }, fetch = () => new Promise(() => {});
const document = { getElementById: (id) => (nodes[id] ??= node()), querySelectorAll: () => [], createElement: node };
"""
SCORED = """
Object.assign(table, { ids: [1, 2, 3, 4, 5], scores: [3, 2.9995, 2.99, null, null], low: [1, 2, 2, null, null], high: [4, 4, 3, null, null],
  differences: [["a", "B.", "c"], [], [], [], []], pairs: [["x y", "x"], ["x", "y"], ["x", "x"], ["n/a", "x"], ["x".repeat(8001), "x"]] });
the("threshold").value = "%s"; sortTable("row", false);
answer = [newColumns()["what differs"], newColumns().pass, the("table-said").textContent];
"""
DIFFERS = ["a; B. c", "", "", "", ""]
BLANK = "1 without a text on one side: no score; 1 with more than 8,000 characters: no score"
BAD = f"Pass from: type a number from 0 to 5; nothing is marked; {BLANK}"
MARKS = [("3", [1, 1, 0]), (" 2,995 ", [1, 1, 0]), ("2.9996", [1, 0, 0]), ("0", [1, 1, 1])]


BEST = """
Object.assign(table, { rows: [["x"], ["y"]], ids: [1, 2], scores: [1, null, 4, 2], low: [], high: [], contradicts: [false, false, true, false],
  differences: [[], [], ["a"], []], pairs: [["x", "p"], ["y", "p"], ["x", "q"], ["y", "q"]] });
keepBest(2); the("threshold").value = "2"; the("strict").checked = %s; sortTable("row", false);
answer = [table.pairs, table.scores, newColumns().pass];
"""
OF_BOTH = [[["x", "q"], ["y", "q"]], [4, 2]]


@pytest.mark.parametrize(
    ("code", "expected"),
    [(BEST % "false", [*OF_BOTH, [1, 1]]), (BEST % "true", [*OF_BOTH, [0, 1]])]
    + [(SCORED % one, [DIFFERS, [None] * 5, BAD]) for one in ("", "abc", "-1", "9", "1e0", ".")]
    + [
        (SCORED % one, [DIFFERS, [*p, None, None], f"{sum(p)} of 3 pass, mean score 3.00; {BLANK}"])
        for one, p in MARKS
    ],
)
def test_what_the_page_shows(code: str, expected: Any) -> None:
    if not (node := shutil.which("node")):
        pytest.skip("node is not installed")
    web = Path(service.__file__).parent / "web"
    scripts = [(web / name).read_text("utf-8") for name in ("charts.js", "page.js", "tables.js")]
    code = f"let answer; {code} console.log(JSON.stringify(answer)); process.exit();"
    typed = "\n".join([PAGE, *scripts, code])
    ended = subprocess.run([node], input=typed, stdout=-1, encoding="utf-8", check=True)
    assert json.loads(ended.stdout) == expected
