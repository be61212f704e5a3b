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
const node = () => ({ addEventListener() {}, replaceChildren(...c) { this.children = c; }, append() {},
  setAttribute() {}, classList: { toggle() {} }, style: {}, value: "", children: [] });
const nodes = {}, sessionStorage = { getItem() {} };
const document = { getElementById: (id) => (nodes[id] ??= node()), querySelectorAll: () => [], createElement: node };
const fetch = () => new Promise(() => {});
"""
SCORED = """
Object.assign(table, { ids: [1, 2, 3, 4, 5], scores: [3, 2.9995, 2.99, null, null], low: [1, 2, 2, null, null], high: [4, 4, 3, null, null],
  differences: [["a"], [], [], [], []], pairs: [["x y", "x"], ["x", "y"], ["x", "x"], ["n/a", "x"], ["x".repeat(8001), "x"]] });
the("threshold").value = $;
sortTable("row", false);
"""
MARKS = f"{SCORED} answer = [newColumns().pass, the('table-said').textContent.split('; ')];"
BLANK = ["1 without a text on one side: no score", "1 with more than 8,000 characters: no score"]
BAD = [[None] * 5, ["Pass from: type a number from 0 to 5", "nothing is marked", *BLANK]]


def only(left: str, right: str) -> str:
    return f"answer = onlyWords({json.dumps(left)}, {json.dumps(right)});"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (only("Canberra", "The capital is Canberra."), ["Only the second has: The, capital, is."]),
        (only("It is Canberra", "canberra"), ["Only the first has: It, is."]),
        (only("A dog, a cat", "the cats"), ["They have no word in common."]),
        (only("Yes", "yes!"), []),
        (only("-", "A dog"), ["Only the second has: A, dog."]),
        *[
            (MARKS.replace("$", f"'{text}'"), [marks, [f"{n} of 3 pass, mean score 3.00", *BLANK]])
            for text, marks, n in [
                ("3", [1, 1, 0, None, None], 2),
                (" 2,995 ", [1, 1, 0, None, None], 2),
                ("2.9996", [1, 0, 0, None, None], 1),
                ("0", [1, 1, 1, None, None], 3),
            ]
        ],
        *[(MARKS.replace("$", f"'{text}'"), BAD) for text in ("", "abc", "-1", "9", "1e0", ".")],
        (
            SCORED.replace("$", "'3'") + "answer = newColumns()['what differs'];",
            ["a", "They have no word in common.", "", "", ""],
        ),
        ("answer = shortened('x'.repeat(11000)).length;", 81),
    ],
)
def test_what_the_page_shows(code: str, expected: Any) -> None:
    if not (node := shutil.which("node")):
        pytest.skip("node is not installed")
    web = Path(service.__file__).parent / "web"
    scripts = [(web / name).read_text("utf-8") for name in ("charts.js", "page.js", "tables.js")]
    code = f"let answer; {code} console.log(JSON.stringify(answer)); process.exit();"
    ended = subprocess.run(
        [node, "-"],
        input="\n".join([PAGE, *scripts, code]),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.stdout, ended.stderr
    assert json.loads(ended.stdout) == expected
