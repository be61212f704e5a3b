"""Text to vectors. Knows no task.

>>> import embeddings
>>> encoder = embeddings.load()
>>> encoder.encode(["A dog runs."]).shape
(1, 100)

On the command line: ``python -m embeddings --help``.
"""

from embeddings.store import load

__all__ = ["load"]
