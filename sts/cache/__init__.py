"""Values that were computed once, kept on disk: entries of a value and a key.

``key`` makes every key, from inputs, configuration, the code that computes the value and the
versions of its libraries. ``Cache`` holds the entries of one kind, ``RowCache`` rows of
numbers by sentence. ``semaniacs cache`` lists, checks and clears them.
"""

from sts.cache.entries import Cache, Entry, cache_folder
from sts.cache.keys import digest, key

__all__ = ["Cache", "Entry", "cache_folder", "digest", "key"]
