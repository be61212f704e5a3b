"""The size of an installation, by package: the wheel in an empty environment.

    python -m runs.benchmarks.install_size
    python -m runs.benchmarks.install_size --extras train report

builds the wheel of this checkout and installs it with pip, which fetches what it does not have,
in the versions of requirements.txt. Without --extras the sizes of the wheel, of our weights and of
the libraries are kept for the README in runs/results/studies/install_size.json; with --extras all
that of everything.
A MB is 2^20 bytes of files, as ``du -m`` counts; what Python compiles beside its sources counts.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path

from runs.options import new_parser
from runs.tables.format import text_table
from runs.tables.pages import ROOT, STUDIES, check_checkout, write_json
from sts.command_line import run_tool
from sts.errors import MissingResourceError
from sts.extras import EXTRAS
from sts.files import parse_json, read_text
from sts.offline import check_online

KEPT = STUDIES / "install_size.json"
OURS = "semaniacs"
SMALL = 1.0
"""Packages of fewer megabytes are told together."""


def build_wheel(folder: Path) -> Path:
    """The wheel of this checkout, built from a copy in the folder, so that nothing is left here.

    Raises:
        MissingResourceError: pip failed, for example for want of a network.
    """
    left_out = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "build", "output", "tests")
    sources = shutil.copytree(ROOT, folder / "sources", ignore=left_out)
    _pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(sources))
    return next(folder.glob("*.whl"))


def install(wheel: Path, folder: Path, extras: Sequence[str] = ()) -> Path:
    """Install the wheel, and what it needs in the pinned versions, in an empty environment.

    Returns:
        The environment's Python.

    Raises:
        MissingResourceError: as :func:`build_wheel`.
    """
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    wanted = f"{wheel}[{','.join(extras)}]" if extras else str(wheel)
    _pip("--python", str(python), "install", "-c", str(ROOT / "requirements.txt"), wanted)
    return python


def _pip(*arguments: str) -> None:
    check_online("pip", "run it where connections are allowed")
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments]
    ended = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    if ended.returncode:
        said = [line for line in ended.stderr.splitlines() if line.startswith("ERROR:")]
        raise MissingResourceError(f"pip failed; it needs a package index. {' '.join(said)}")


def megabytes(package: Distribution, ending: str = "") -> float:
    """The size of a package's files, or of those with an ending."""
    files = [Path(str(file.locate())) for file in package.files or () if file.name.endswith(ending)]
    return sum(file.stat().st_size for file in files if file.is_file()) / 2**20


def shipped_weights() -> float:
    """Megabytes of the weights and tables that this checkout ships."""
    rooms = (
        "embeddings/pretrained", "features/pretrained", "features/wordnet",
        "runs/pipeline/bundled", "sts/text/lexicon",
    )  # fmt: skip
    files = [file for room in rooms for file in (ROOT / room).glob("*.safetensors")]
    return sum(file.stat().st_size for file in files) / 2**20


def sizes_to_keep(wheel: Path, python: Path) -> dict[str, float]:
    """What the README says, in megabytes."""
    everything = sum(megabytes(package) for package in _packages(python).values())
    weights = shipped_weights()
    return {
        "wheel": round(wheel.stat().st_size / 2**20, 1),
        "weights": round(weights, 1),
        "libraries": round(everything - weights, 1),
    }


def _packages(python: Path) -> dict[str, Distribution]:
    (site,) = python.parents[1].glob("lib/python*/site-packages")
    return {package.name: package for package in distributions(path=[str(site)])}


def size_table(python: Path) -> str:
    """Packages of an environment, the largest first, and their sum without and with our weights."""
    packages = _packages(python)
    sizes = {name: megabytes(package) for name, package in packages.items()}
    total, weights = sum(sizes.values()), megabytes(packages[OURS], ".safetensors")
    large = {name: size for name, size in sizes.items() if size >= SMALL}
    rows = sorted(large.items(), key=lambda row: -row[1])
    rows.append((f"{len(sizes) - len(large)} others", total - sum(large.values())))
    rows += [("all", total), (f"all without the weights of {OURS}", total - weights)]
    return text_table(("package", "MB"), [(name, f"{size:.1f}") for name, size in rows])


def main() -> None:
    """Build, install, measure."""
    parser = new_parser("runs.benchmarks.install_size", __doc__, data=False)
    parser.add_argument(
        "--extras", nargs="+", default=[], choices=[*EXTRAS, "all"], help="beside the core"
    )
    options = parser.parse_args()
    check_checkout()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build_wheel(folder)
        python = install(wheel, folder / "environment", options.extras)
        print(size_table(python))
        kept = parse_json(read_text(KEPT)) if KEPT.exists() else {}
        if not options.extras:
            write_json(KEPT, kept | sizes_to_keep(wheel, python))
        if options.extras == ["all"]:
            everything = sum(megabytes(package) for package in _packages(python).values())
            write_json(KEPT, kept | {"all": round(everything, 1)})


if __name__ == "__main__":
    run_tool(main)
