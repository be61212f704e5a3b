"""Semantic search: an index of sentences that answers which are nearest to a query.

:class:`~embeddings.search.search_index.SearchIndex` is built, added to, asked, saved and loaded;
:func:`~embeddings.search.search_index.search` does all at once. Neighbours come from
:mod:`embeddings.mining.neighbours`: exact cosines, or an inverted file where asked for.

:mod:`~embeddings.search.column_store` keeps the columns of an index in memory or in a folder, to
which is appended in such a way that a crash loses nothing that was there;
:mod:`~embeddings.search.index_entries` reads sentences and ids from them.
"""

from embeddings.search.index_entries import Hit
from embeddings.search.search_index import SearchIndex, search

__all__ = ["Hit", "SearchIndex", "search"]
