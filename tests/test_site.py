"""The site of the documentation: every page is in it, nothing of it comes from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

from docs.site import commands
from semaniacs.cli import VERBS

ROOT = Path(__file__).parents[1]

needs_mkdocs = pytest.mark.skipif(
    not all(map(find_spec, ("mkdocs", "material", "mkdocstrings"))),
    reason="no MkDocs; pip install -r requirements-docs.txt",
)


pytestmark = pytest.mark.xdist_group("site")  # one worker builds it


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; whatever MkDocs warns of is an error."""
    folder = tmp_path_factory.mktemp("site")
    ended = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    return folder


def test_every_page_is_in_the_navigation() -> None:
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    named = list(leaves(nav))
    assert len(named) == len(set(named))
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {*named} == set()


def leaves(part: object) -> Iterator[str]:
    """The pages of a part of the navigation."""
    if isinstance(part, str):
        yield part
    else:
        for inner in part.values() if isinstance(part, dict) else part:  # type: ignore[attr-defined]
            yield from leaves(inner)


LOADED = re.compile(
    r"""(?:\s(?:src|srcset|poster|data)=|<link[^>]*\shref=|url\(|@import\s+)["']?\s*((?:https?:)?//[^"')\s]+)"""
)
"""An address on another server that a page or a style sheet has a browser load."""


@needs_mkdocs
def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    pages = [path for path in site.rglob("*") if path.suffix in (".html", ".css")]
    assert len(pages) > 20
    assert {p.name: found for p in pages if (found := LOADED.findall(p.read_text("utf-8")))} == {}


@needs_mkdocs
def test_the_references_name_what_is_public(site: Path) -> None:
    page = (site / "reference" / "semaniacs.html").read_text(encoding="utf-8")
    for text in ("semaniacs.score", "Explained", "Shapley values", "(n,) float64"):
        assert text in page
    assert ":meth:" not in page
    told = (site / "commands.html").read_text(encoding="utf-8")
    assert all(f'id="{verb}"' in told for verb in VERBS)


@needs_mkdocs
def test_links_to_files_of_the_root_lead_to_their_pages(site: Path) -> None:
    assert 'href="index.html"' in (site / "vectors.html").read_text(encoding="utf-8")
    assert 'href="score.html"' in (site / "index.html").read_text(encoding="utf-8")
    assert (site / "changelog.html").is_file()


def test_the_reference_has_every_command_and_every_option() -> None:
    page = commands.verbs_page()
    assert re.findall(r"^### (\S+)$", page, re.MULTILINE) == [*VERBS]
    for words, command in commands.commands():
        assert f"Usage: semaniacs {' '.join(words)} " in page
        for option in (
            o for p in command.params for o in p.opts if not getattr(p, "hidden", False)
        ):
            assert option in page or not option.startswith("-")
    assert "Traceback" not in page
