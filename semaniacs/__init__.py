"""The front door: how similar in meaning are two sentences, from 0 to 5, and why?

>>> import semaniacs
>>> round(semaniacs.score("A dog runs.", "A dog is running."), 1)
4.6
>>> scorer = semaniacs.load("fusion")
>>> scorer.score(["A dog runs."], ["Stocks fell on Friday."]).shape
(1,)
>>> scorer.explain("A dog runs.", "A dog is running.").contributions[0].feature
'dynamax'

It re-exports what the rooms make public. On the command line: ``semaniacs --help``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from runs.scorer import Scorer, load, score

__version__ = "0.2.0"

__all__ = ["Scorer", "load", "score"]

_FROM = dict.fromkeys(__all__, "runs.scorer")


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first asked for."""
    if name not in _FROM:
        raise AttributeError(f"module 'semaniacs' has no attribute {name!r}")
    return getattr(import_module(_FROM[name]), name)
