"""The code that a function runs, found in a small project that the test writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from sts.cache.source_code import Code, code_of
from sts.errors import UnknownNameError

PROJECT = {
    "sts/__init__.py": '"""Re-exports."""\nfrom sts.words import split as cut\n',
    "sts/words.py": """
import re
LETTERS = re.compile("[a-z]+")
def split(text: str) -> list[str]:
    return LETTERS.findall(text)
def unrelated() -> int:
    return 1
""",
    "sts/encoder.py": """
from __future__ import annotations
from typing import TYPE_CHECKING
import numpy as np
import sts.sums
if TYPE_CHECKING:
    from sts.words import split
class Encoder:
    '''Mean of words.'''
    def encode(self, text: str):
        from sts import cut
        return np.float64(sts.sums.total(map(len, cut(text))))
def other(cut: split) -> None: ...
""",
    "sts/sums.py": "def total(numbers):\n    return sum(numbers)\n",
}

Project = Callable[..., Code]


@pytest.fixture
def code(tmp_path: Path) -> Project:
    """The code of some starts in the project, with some of its files replaced."""
    count = iter(range(100))

    def write(*starts: str, changed: Mapping[str, str] | None = None) -> Code:
        root = tmp_path / str(next(count))
        for name, text in (PROJECT | dict(changed or {})).items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return code_of(*starts, root=root)

    return write


def test_imports_are_followed_lazy_ones_and_re_exports_too(code: Project) -> None:
    found = code("sts.encoder:Encoder")
    assert found.modules == ("sts", "sts.encoder", "sts.sums", "sts.words")
    assert list(found.packages) == ["numpy"]


def test_a_library_that_is_installed_beside_is_a_library(code: Project) -> None:
    beside = {"numpy/__init__.py": "def float64(number):\n    return number\n"}
    assert code("sts.encoder:Encoder", changed=beside) == code("sts.encoder:Encoder")


def test_the_annotation_of_an_argument_is_followed(code: Project) -> None:
    assert "sts.words" in code("sts.encoder:other").modules


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("sts/words.py", "[a-z]+", "[a-z']+"),
        ("sts/sums.py", "sum(numbers)", "sum(list(numbers))"),
        ("sts/encoder.py", "map(len", "map(str"),
    ],
)
def test_a_change_of_what_runs_changes_the_digest(
    code: Project, file: str, old: str, new: str
) -> None:
    changed = {file: PROJECT[file].replace(old, new)}
    start = "sts.encoder:Encoder"
    assert code(start).digest != code(start, changed=changed).digest


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("sts/words.py", "return 1", "return 2"),
        ("sts/encoder.py", "Mean of words.", "The mean of words, in other words."),
        ("sts/sums.py", "def total", "# a comment\n\n\ndef total"),
        ("sts/__init__.py", "Re-exports.", "What is public."),
    ],
)
def test_prose_and_what_does_not_run_change_nothing(
    code: Project, file: str, old: str, new: str
) -> None:
    changed = {file: PROJECT[file].replace(old, new)}
    start = "sts.encoder:Encoder"
    assert code(start) == code(start, changed=changed)


def test_a_whole_module_is_all_its_definitions(code: Project) -> None:
    changed = {"sts/words.py": PROJECT["sts/words.py"].replace("return 1", "return 2")}
    assert code("sts.words").digest != code("sts.words", changed=changed).digest


@pytest.mark.parametrize("start", ["sts.nowhere", "sts.words:nothing", "numpy:mean"])
def test_an_unknown_start_is_refused(code: Project, start: str) -> None:
    with pytest.raises(UnknownNameError):
        code(start)
