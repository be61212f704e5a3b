"""The checker of processes at once finds those that hang, pay twice, mix versions or leave pieces."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks import at_once as checked
from tests.attacks.at_once import MEMORY, OUTPUTS, VERSIONS, at_once


@pytest.fixture(autouse=True)
def fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checked, "PROCESSES", 3)


def test_what_is_paid_for_twice_is_found(tmp_path: Path) -> None:
    own = MEMORY.replace('Path("memory.jsonl")', 'Path(f"memory-{{sys.argv[1]}}.jsonl")')
    assert "200 texts were paid for twice" in str(at_once("memory", tmp_path / "x", own))


def test_a_version_that_is_given_the_other_ones_value_is_found(tmp_path: Path) -> None:
    mixed = VERSIONS.replace('key("sts.of_this_version:value", inputs=[])', '"the same key" * 3')
    assert "exit code 1" in str(at_once("versions", tmp_path / "x", mixed))


def test_processes_that_wait_for_ever_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checked, "LONGEST", 3.0)
    found = at_once("cache", tmp_path / "x", "{barrier}\ntime.sleep(60)")
    assert found == "cache: 3 of 3 processes: hangs"


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ("open(OUT, 'a').write('a line\\n')", "other bytes than one process writes"),
        ("open(OUT, 'w').close(); open('.left.sts-unfinished', 'w').close()", "leaves ['.left"),
    ],
)
def test_output_that_is_mixed_or_left_is_found(planted: str, said: str, tmp_path: Path) -> None:
    out = OUTPUTS["output"][1].split()[-1]
    script = "{barrier}\n" + planted.replace("OUT", repr(out))
    assert said in str(at_once("output", tmp_path / "x", script))
