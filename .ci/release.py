"""Build the wheel and the sdist of the committed state into dist/, and check both.

    make release

The same commit gives the same bytes. The wheel is built from the sdist, installed in an empty
environment, and has to score there what the checkout scores.
"""

from __future__ import annotations

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from semaniacs import __version__  # noqa: E402
from semaniacs.sts.command_line import run_tool  # noqa: E402
from semaniacs.sts.errors import StsError  # noqa: E402

PAIR = ("A dog runs in the park.", "A dog is running through a park.")


def main() -> None:
    """Build, check, and put both into dist/."""
    if told := output("git", "status", "--porcelain"):
        raise StsError(f"what is not committed would not be released: {told.splitlines()[0]}")
    when = int(output("git", "log", "-1", "--format=%ct"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        built = build(folder, when)
        module("twine", "check", "--strict", *map(str, built))
        wheel = next(path for path in built if path.suffix == ".whl")
        module("check_wheel_contents", "--ignore", "W009", str(wheel))  # several top-level packages
        try_out(install(wheel, folder / "environment"))
        dist = ROOT / "dist"
        shutil.rmtree(dist, ignore_errors=True)
        dist.mkdir()
        for path in built:
            shutil.copy(path, dist)
            print(f"dist/{path.name}")


def install(wheel: Path, folder: Path) -> Path:
    """Install the wheel and the pinned libraries it needs in an empty environment; its Python."""
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    pinned = str(ROOT / "requirements.txt")
    module("pip", "--python", str(python), "install", "--quiet", "-c", pinned, str(wheel))
    return python


def build(folder: Path, when: int) -> list[Path]:
    """The sdist and the wheel of the committed files, as of a time in seconds since 1970."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, capture_output=True, check=True)
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as committed:
        committed.extractall(folder / "sources", filter="data")
    environment = {"SOURCE_DATE_EPOCH": str(when)}
    module("build", "--outdir", str(folder / "built"), str(folder / "sources"), **environment)
    built = sorted((folder / "built").iterdir())
    for path in built:
        if path.name.endswith(".tar.gz"):
            path.write_bytes(repacked(path.read_bytes(), when))
    return built


def repacked(sdist: bytes, when: int) -> bytes:
    """A tar.gz with the files of another in order, of one time, and of nobody."""
    tar = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(sdist)) as before,
        tarfile.open(fileobj=tar, mode="w", format=tarfile.PAX_FORMAT) as after,
    ):
        for member in sorted(before.getmembers(), key=lambda member: member.name):
            kept = tarfile.TarInfo(member.name)
            kept.type, kept.size, kept.mtime = member.type, member.size, when
            kept.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            after.addfile(kept, before.extractfile(member) if member.isfile() else None)
    return gzip.compress(tar.getvalue(), mtime=when)


def try_out(python: Path) -> None:
    """Raise an error unless the installed command has our version and the checkout's score."""
    command = str(python.with_name("semaniacs"))
    with tempfile.TemporaryDirectory() as elsewhere:
        version = output(command, "--version", folder=elsewhere)
        score = output(command, "score", *PAIR, folder=elsewhere)
    here = output(sys.executable, "-m", "semaniacs", "score", *PAIR)
    if (version, score) != (f"semaniacs {__version__}", here):
        raise StsError(f"installed: {version}, score {score}; expected {__version__}, {here}")


def module(name: str, *arguments: str, **environment: str) -> None:
    """Run ``python -m``; an error if it fails, which it has explained itself."""
    command = [sys.executable, "-m", name, *arguments]
    if subprocess.run(command, env=os.environ | environment, check=False).returncode:
        raise StsError(f"{name} failed, see above")


def output(*command: str, folder: Path | str = ROOT) -> str:
    """What a command prints, without the end of the last line."""
    told = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True, text=True)
    return told.stdout.rstrip("\n")


if __name__ == "__main__":
    run_tool(main)
