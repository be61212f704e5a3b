"""Bytes that are led by what they reach find a defect that chance alone would not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.guided import guided_by

pytest.importorskip("atheris", reason="atheris is not installed; see requirements-peers.txt")

READS = """\
def read(path):
    raw = path.read_bytes()
    if raw[:1] == b"<":
        if raw[1:2] == b"?":
            if raw[2:3] == b"x":
                raise KeyError("reached")
"""

SCRIPT = """\
import sys
from pathlib import Path
from tests.attacks import guided, readers

def read(path):
    import planted
    planted.read(path)

readers.READERS["planted"] = readers.Reader("planted", ".x", lambda: b"....", read)
guided.OURS = ["planted"]
seed, runs, folder, name = sys.argv[1:]
guided.guide(name, int(seed), int(runs), Path(folder))
"""


def test_a_defect_behind_three_conditions_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in (("planted.py", READS), ("guided_script.py", SCRIPT)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[2]}")
    program = (str(tmp_path / "guided_script.py"),)
    _, wrong = guided_by("planted", 0, 100_000, tmp_path / "folder", program)
    assert wrong is not None and "KeyError at planted.py" in wrong
