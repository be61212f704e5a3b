"""Print what the program is made of, as a CycloneDX 1.5 bill of materials in JSON.

    make sbom        or        python .ci/sbom.py > sbom.json

It lists the libraries that are installed here and that the program needs, with what they need in
turn, and the data and models that ship, by sha256. The same installation gives the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from semaniacs import __version__  # noqa: E402
from semaniacs.sts.command_line import run_tool  # noqa: E402
from semaniacs.sts.files import read_lines, sha256_of  # noqa: E402

SHIPPED = (
    "embeddings/pretrained", "features/names", "features/pretrained", "features/wordnet",
    "runs/pipeline/bundled", "sts/text/lexicon",
)  # fmt: skip

_NAME = re.compile(r"[A-Za-z0-9._-]+")


def main() -> None:
    """Print it."""
    print(json.dumps(bill(), indent=2, ensure_ascii=False))


def bill() -> dict[str, Any]:
    """The bill of materials."""
    libraries = [library(found) for _, found in sorted(installed().items())]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "semaniacs", "version": __version__}
        },
        "components": [*libraries, *files()],
    }


def installed() -> dict[str, Distribution]:
    """The libraries of requirements.txt and what they need, as they are installed here."""
    todo = [m[0] for line in read_lines(ROOT / "requirements.txt") if (m := _NAME.match(line))]
    found: dict[str, Distribution] = {}
    while todo:
        name = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # for another system or Python, or an extra
            continue
        needs = [need for need in found[name].requires or [] if "extra ==" not in need]
        todo += [m[0] for need in needs if (m := _NAME.match(need))]
    return found


def library(found: Distribution) -> dict[str, Any]:
    """One library."""
    name, about = found.metadata["Name"], found.metadata
    licence = about.get("License-Expression") or (about.get("License") or "").split("\n")[0]
    told: dict[str, Any] = {
        "type": "library",
        "name": name,
        "version": found.version,
        "purl": f"pkg:pypi/{name.lower()}@{found.version}",
    }
    return told | ({"licenses": [{"license": {"name": licence}}]} if licence else {})


def files() -> list[dict[str, Any]]:
    """What ships and is no code, by sha256."""
    paths = [path for folder in SHIPPED for path in sorted((ROOT / folder).iterdir())]
    return [
        {
            "type": "data",
            "name": path.relative_to(ROOT).as_posix(),
            "hashes": [{"alg": "SHA-256", "content": sha256_of(path)}],
        }
        for path in paths
        if path.suffix in (".safetensors", ".json")
    ]


if __name__ == "__main__":
    run_tool(main)
