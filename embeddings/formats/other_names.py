"""Options of ``encode`` under the names that sentence-transformers gives them."""

from __future__ import annotations

from functools import cache
from typing import Any

from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import note

ONLY = {
    "convert_to_numpy": True,
    "convert_to_tensor": False,
    "output_value": "sentence_embedding",
    "precision": "float32",
    "prompt": None,
    "prompt_name": None,
}
"""Options that have one possible value here."""


def other_options(given: dict[str, Any], normalize: Any, progress: Any) -> tuple[Any, Any]:
    """Return ``normalize`` and ``progress``, under whichever name they were given.

    Raises an StsError for a value that is not possible here, a TypeError for an option that neither
    library has.
    """
    for name, only in ONLY.items():
        if (value := given.pop(name, only)) != only:
            raise StsError(
                f"{name}={value!r}; expected {only!r}: encode adds no prompt and returns float32 "
                "arrays, which astype and torch.from_numpy convert"
            )
    if (device := str(given.pop("device", None))) not in ("None", "cpu"):
        _note_device(device)
    normalize = given.pop("normalize_embeddings", normalize)
    progress = given.pop("show_progress_bar", progress)
    for name in given:
        raise TypeError(f"encode() got an unexpected keyword argument {name!r}")
    return normalize, progress


@cache
def _note_device(device: str) -> None:
    note(f"device={device!r} has no effect: encoders run on the processor")
