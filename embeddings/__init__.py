"""Text to vectors. Knows no task.

>>> import embeddings
>>> encoder = embeddings.load()
>>> encoder.encode(["A dog runs."]).shape
(1, 100)
"""

from embeddings.store import load

__all__ = ["load"]
