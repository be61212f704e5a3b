"""Score how similar in meaning two sentences are, from 0 to 5, and explain the score.

>>> import semaniacs
>>> round(semaniacs.score("A dog runs.", "A dog is running."), 1)
4.5
>>> scorer = semaniacs.load()  # or load("fusion"), which is faster
>>> scorer.score(["A dog runs."], ["Stocks fell on Friday."]).shape
(1,)
>>> scorer.explain("A dog runs.", "A dog is running.").contributions[0].feature
'gte'

The public names of the rooms are imported here. On the command line: ``semaniacs --help``.
"""

from __future__ import annotations

from importlib import import_module
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
    "Scorer",
    "SearchIndex",
    "compare",
    "duplicates",
    "embeddings",
    "encode",
    "load",
    "mine",
    "paraphrases",
    "score",
    "search",
]

# In an installation the rooms are folders inside this one; in a checkout they are beside it.
_HERE = Path(__file__).resolve().parent
if not (_HERE / "sts").is_dir():
    __path__.append(str(_HERE.parent))

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
    if name in ("embeddings", "testing"):
        return import_module(f"semaniacs.{name}")
    if name not in _FROM:
        raise AttributeError(f"module 'semaniacs' has no attribute {name!r}")
    return getattr(import_module(_FROM[name]), name)


def __dir__() -> list[str]:
    """Return the public names, for completion and help."""
    return [*__all__, "__version__", "testing"]
