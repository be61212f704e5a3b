"""Text to vectors. Knows no task.

>>> from semaniacs import embeddings
>>> encoder = embeddings.load()
>>> encoder.encode(["A dog runs."]).shape
(1, 256)
>>> embeddings.load("multilingual").encode(["Un perro corre."]).shape
(1, 384)

On the command line: ``semaniacs --help``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semaniacs.embeddings.loading import encode, load, load_reader

__all__ = ["encode", "load", "load_reader"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that a command's help does without NumPy."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from semaniacs.embeddings import loading

    return getattr(loading, name)
