"""Put the rooms, folders at the top of the checkout, into the package ``semaniacs``."""

import shutil
from pathlib import Path

ROOMS = ("sts", "embeddings", "features", "runs")


def copy_package(folder: Path) -> None:
    """Copy the sources as they are installed, for tools that read files and not ``__path__``."""
    root, package = Path(__file__).resolve().parent, folder / "semaniacs"
    shutil.rmtree(package, ignore_errors=True)
    weights = shutil.ignore_patterns("*.safetensors", "*.npz", "__pycache__")
    shutil.copytree(root / "semaniacs", package, ignore=weights)
    for room in ROOMS:
        shutil.copytree(root / room, package / room, ignore=weights)


if __name__ == "__main__":
    from setuptools import find_packages, setup

    packages = ["semaniacs", *(f"semaniacs.{room}" for room in ROOMS)]
    packages += [f"semaniacs.{room}.{inner}" for room in ROOMS for inner in find_packages(room)]
    folders = {f"semaniacs.{room}": room for room in ROOMS}
    setup(packages=packages, package_dir=folders)
