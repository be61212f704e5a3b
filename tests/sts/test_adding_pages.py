"""The pages on adding a translator, a data set and a language do what they say."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sts.data import catalog
from sts.data.fetch import load
from sts.data.schema import DataFile, DataSet, Task
from sts.errors import DataError, MissingResourceError
from sts.text.language import identify
from sts.translation.apertium import installation
from tests.sts.translation.online.local_service import serving

ROOT = Path(__file__).parents[2]


def example(page: str) -> str:
    """The Python example of a page."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    (found,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    return str(found)


def test_a_translator_is_one_file(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "sts", tmp_path / "sts", ignore=shutil.ignore_patterns("__pycache__"))
    with serving("mymemory") as server:
        server.replies = [(200, {"text": "HOLA"}, {})]
        source = example("adding-a-translator.md").replace("https://shout.example", server.address)
        engines = tmp_path / "sts" / "translation" / "online" / "engines"
        (engines / "shout.py").write_text(source, encoding="utf-8")
        command = "translate - --from es --to en --translator shout --memory memory"
        done = subprocess.run(
            [sys.executable, "-m", "sts.translation", *command.split()],
            cwd=tmp_path,
            input="hola\n",
            env=os.environ | {"SHOUT_API_KEY": "s3cret", "NO_PROXY": "127.0.0.1"},
            capture_output=True,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stdout) == (0, "HOLA\n"), done.stderr
    assert done.stderr == "1 line es->en by shout, version Shout v1\n"
    (request,) = server.requests
    assert request["headers"]["Authorization"] == "s3cret"
    assert (request["path"], request["q"], request["to"]) == ("/v1", "hola", "en")


def test_a_data_set_is_one_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task: Task = eval(
        example("adding-a-data-set.md").strip().removesuffix(","),
        vars(catalog) | {"DataFile": DataFile, "DataSet": DataSet, "Task": Task},
    )
    monkeypatch.setitem(catalog.TASKS, task.name, task)
    (dataset,) = catalog.get_task("stsbenchmark").datasets
    folder = tmp_path / "stsbenchmark"
    folder.mkdir()
    (folder / "input.txt").write_text("a\tb\n" * 1379)
    (folder / "gs.txt").write_text("2.5\n" * 1379)
    pairs = load(dataset, tmp_path)
    assert (len(pairs), pairs.scored.sum()) == (dataset.input.rows, dataset.scored)
    (folder / "gs.txt").write_text("2.5\n")
    with pytest.raises(DataError, match="the file holds 1 lines, expected 1379"):
        load(dataset, tmp_path)


def test_a_language_is_two_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    for table in ("LANGUAGES", "PACKAGES"):
        monkeypatch.setattr(installation, table, dict(getattr(installation, table)))
    exec(example("adding-a-language.md"), vars(installation))
    assert installation.find_pair("pt", "es", ["spa-eng", "por-spa"]) == "por-spa"
    with pytest.raises(MissingResourceError, match="install it: apt-get install apertium-es-pt"):
        installation.find_pair("pt", "es", ["spa-eng"])
    assert identify(["A casa é vermelha."], ("pt", "en"))[0].language == "pt"
