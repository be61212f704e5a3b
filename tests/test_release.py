"""What a release consists of: the changelog, the citation, archives of the same bytes."""

from __future__ import annotations

import importlib.util
import io
import re
import tarfile
from pathlib import Path

import yaml

from semaniacs import __version__

ROOT = Path(__file__).parents[1]


def test_the_changelog_keeps_its_form() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (.+)$", text, re.MULTILINE)
    dated = [
        re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (unreleased|\d{4}-\d\d-\d\d)", v) for v in versions
    ]
    assert all(dated), versions
    numbers = [[int(part) for part in found[1].split(".")] for found in dated if found]
    assert numbers == sorted(numbers, reverse=True)
    assert ".".join(map(str, numbers[0])) == __version__
    for version in text.split("\n## ")[1:]:
        kinds = re.findall(r"^### (.+)$", version, re.MULTILINE)
        assert {*kinds} <= set("Added Changed Deprecated Removed Fixed Security".split())
        assert kinds and len(kinds) == len({*kinds})


def test_the_citation_names_the_papers() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["cff-version"] == "1.2.0" and cited["type"] == "software"
    assert {"message", "title", "authors", "license"} <= {*cited}
    page = " ".join((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split())
    for paper in cited["references"]:
        assert paper["title"] in page and str(paper["year"]) in page
        assert all(author["family-names"] in page for author in paper["authors"])


def archive(names: list[str], time: int, mode: int) -> bytes:
    """A tar.gz as it comes from somebody's machine."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode, member.uname = 2, time, mode, "somebody"
            tar.addfile(member, io.BytesIO(b"ab"))
    return written.getvalue()


def test_an_archive_has_the_same_bytes_whoever_builds_it() -> None:
    spec = importlib.util.spec_from_file_location("release", ROOT / ".ci" / "release.py")
    assert spec is not None and spec.loader is not None
    release = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(release)
    mine, theirs = archive(["p/a", "p/b"], 5, 0o600), archive(["p/b", "p/a"], 9, 0o664)
    assert mine != theirs
    packed = release.repacked(mine, 1_000_000_000)
    assert packed == release.repacked(theirs, 1_000_000_000)
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        assert tar.getnames() == ["p/a", "p/b"]
        (first, _) = tar.getmembers()
        assert (first.mtime, first.mode, first.uname) == (1_000_000_000, 0o644, "")
        assert tar.extractfile(first).read() == b"ab"  # type: ignore[union-attr]
