"""Every checker finds a defect that is planted for it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.attacks.__main__ import collect
from tests.attacks.at_import import at_import_of


@pytest.mark.parametrize(
    "source",
    [
        "import subprocess; subprocess.run(['true'])",
        "import pickle; pickle.loads(pickle.dumps(len))",
        "import socket; socket.create_connection",
        "import urllib.request, contextlib\nwith contextlib.suppress(OSError): urllib.request.urlopen('http://127.0.0.1:9')",
    ],
)
def test_what_is_done_at_import_is_seen(source: str, tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(source, encoding="utf-8")
    told = at_import_of("planted", tmp_path)
    assert (told is None) == source.endswith("create_connection")


@pytest.mark.parametrize(
    ("script", "cases", "failure"),
    [
        ("print('null'); print('{\"end\": true}')", 1, None),
        ("print('null'); print('\"lost\"'); print('{\"end\": true}')", 2, "lost"),
        ("print('null', flush=True); import os; os.abort()", 1, "died with -6 in case 2: "),
        (
            "print('null', flush=True); import time; time.sleep(60)",
            1,
            "hung in case 2: no end in 1 s",
        ),
        ("print('{\"end\": true}')", 0, "made no cases"),
    ],
)
def test_what_hangs_dies_or_makes_nothing_fails(
    script: str, cases: int, failure: str | None
) -> None:
    found = collect([sys.executable, "-c", script], 1 if "sleep" in script else 60)
    assert (found.cases, found.failures) == (cases, [] if failure is None else [failure])
