"""Text to vectors. Knows no task.

>>> import embeddings
>>> encoder = embeddings.load()
>>> encoder.encode(["A dog runs."]).shape
(1, 256)
>>> embeddings.load("bitext-teacher", "es").encode(["Un perro corre."]).shape
(1, 256)

On the command line: ``semaniacs --help``.
"""

from embeddings.loading import encode, load

__all__ = ["encode", "load"]
