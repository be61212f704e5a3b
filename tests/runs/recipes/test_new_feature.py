"""A new feature is found by its file being there, and changes no run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from semaniacs.runs.recipes import RUNS

ROOT = Path(__file__).parents[3]
FAMILY = '''
from semaniacs.features.registry import pairwise

@pairwise("exclamation_match", "punctuation", "plain count")
def exclamation_match(a, b):
    """1 if both sentences, or neither, have an exclamation mark; else 0."""
    return float(("!" in a.tokens) == ("!" in b.tokens))
'''
SCRIPT = """
import json, sys
from semaniacs.features import families
families.__path__.append(sys.argv[1])
from semaniacs.features.registry import get_feature
from semaniacs.runs.recipes import RUNS
group = get_feature("exclamation_match").group
print(json.dumps([group, {name: run.digest for name, run in RUNS.items()}]))
"""


def test_a_new_feature_changes_no_run(tmp_path: Path) -> None:
    (tmp_path / "marks.py").write_text(FAMILY, encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    group, digests = json.loads(ended.stdout)
    assert group == "punctuation"
    assert digests == {name: run.digest for name, run in RUNS.items()}
