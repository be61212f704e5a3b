"""Score how similar in meaning two sentences are, from 0 to 5, and explain the score.

>>> import semaniacs
>>> round(semaniacs.score("A dog runs.", "A dog is running."), 1)
4.5
>>> scorer = semaniacs.load("fusion")
>>> scorer.score(["A dog runs."], ["Stocks fell on Friday."]).shape
(1,)
>>> scorer.explain("A dog runs.", "A dog is running.").contributions[0].feature
'dynamax'

The public names of the rooms are imported here. The rooms have plain names; importing this package
raises an error if a folder of the user has one of them. On the command line: ``semaniacs --help``.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semaniacs import embeddings
    from semaniacs.embeddings.loading import encode
    from semaniacs.embeddings.mining.duplicates import duplicates, paraphrases
    from semaniacs.embeddings.mining.similar_sentences import mine
    from semaniacs.embeddings.search import SearchIndex, search
    from semaniacs.runs.scorer import Scorer, load, score
    from semaniacs.sts.scoring.bootstrap import compare

__version__ = "0.2.0"

__all__ = [
    "Scorer", "SearchIndex", "compare", "duplicates", "embeddings", "encode", "load", "mine", "paraphrases", "score",
    "search",
]  # fmt: skip

_FROM = {
    "Scorer": "semaniacs.runs.scorer",
    "SearchIndex": "semaniacs.embeddings.search",
    "compare": "semaniacs.sts.scoring.bootstrap",
    "duplicates": "semaniacs.embeddings.mining.duplicates",
    "encode": "semaniacs.embeddings.loading",
    "load": "semaniacs.runs.scorer",
    "mine": "semaniacs.embeddings.mining.similar_sentences",
    "paraphrases": "semaniacs.embeddings.mining.duplicates",
    "score": "semaniacs.runs.scorer",
    "search": "semaniacs.embeddings.search",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "embeddings":
        return import_module(name)
    if name not in _FROM:
        raise AttributeError(f"module 'semaniacs' has no attribute {name!r}")
    return getattr(import_module(_FROM[name]), name)


def __dir__() -> list[str]:
    """Return the public names, for completion and help."""
    return [*__all__, "__version__", "testing"]


def _refuse_other_rooms(home: Path) -> None:
    """Raise an ImportError if another package hides one of our rooms."""
    for room in ("sts", "embeddings", "features", "runs"):
        spec = find_spec(room)
        if spec is None:
            raise ImportError(f"{home / room} is not there; install semaniacs again")
        found = [*(spec.submodule_search_locations or [spec.origin or room])]
        if home / room not in (Path(place).resolve() for place in found):
            raise ImportError(
                f"{found[0]} hides semaniacs' own package {room!r}; rename it, or start Python "
                "in another folder"
            )


try:
    _refuse_other_rooms(Path(__file__).resolve().parents[1])
except ImportError as error:
    if sys.argv[:1] != ["-m"]:
        raise
    print(f"error: {error}", file=sys.stderr)  # python -m semaniacs: a person reads it
    raise SystemExit(2) from None
