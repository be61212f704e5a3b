"""Values that were computed once and are read from disk the next time.

:class:`Cache` holds the entries of one kind, :class:`semaniacs.sts.cache.rows.RowCache` rows of numbers by
sentence. ``semaniacs cache`` lists, checks and clears them.
"""

from semaniacs.sts.cache.entries import (
    Cache,
    Entry,
    cache_folder,
    canonical,
    digest,
    entries_in,
    key,
    memory_folder,
)

__all__ = [
    "Cache",
    "Entry",
    "cache_folder",
    "canonical",
    "digest",
    "entries_in",
    "key",
    "memory_folder",
]
