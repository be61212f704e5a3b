"""Model files of every version that was released, or is about to be, load and give what they gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs import __version__, embeddings
from semaniacs.runs.scorer import load
from semaniacs.sts.errors import StsError
from tests.golden import making

VERSIONS = sorted(path for path in making.HERE.iterdir() if (path / "expected.json").is_file())


def expected(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return found


ENCODERS = [(version, name) for version in VERSIONS for name in expected(version)["vectors"]]


def test_this_version_has_golden_files() -> None:
    assert __version__ in {version.name for version in VERSIONS}, (
        "write them: python -m tests.golden.making"
    )


@pytest.mark.parametrize(("version", "name"), ENCODERS, ids=lambda part: Path(part).name)
def test_an_encoder_gives_the_vectors_that_it_gave(version: Path, name: str) -> None:
    kept = expected(version)
    found = embeddings.load(version / name, making.LANGUAGES[name]).encode(kept["sentences"])
    np.testing.assert_allclose(found, np.array(kept["vectors"][name], np.float32), rtol=1e-6)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_a_scorer_gives_the_scores_that_it_gave(version: Path) -> None:
    kept = expected(version)
    scores = load(version / "scorer").score(*zip(*kept["pairs"], strict=True))
    assert scores.tolist() == pytest.approx(kept["scores"], abs=1e-9)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_an_index_finds_what_it_found(version: Path, tmp_path: Path) -> None:
    kept = expected(version)["hits"]
    index = tmp_path / "index"
    making.write_index(version, index)
    found = making.hits_of(version, index)
    assert [hit[:2] for hit in found] == [hit[:2] for hit in kept]
    assert [hit[2] for hit in found] == pytest.approx([hit[2] for hit in kept], abs=1e-6)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.name)
def test_golden_files_are_small_and_written_once(version: Path) -> None:
    assert sum(path.stat().st_size for path in version.rglob("*") if path.is_file()) < 100_000
    if version.name == __version__:
        with pytest.raises(StsError, match="written once"):
            making.main()
