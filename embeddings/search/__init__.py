"""Semantic search: an index of sentences that finds the ones nearest to a query.

:class:`SearchIndex` is built, extended, queried, saved and loaded; :func:`search` does all of it at
once. An index is a SQLite database (:mod:`semaniacs.embeddings.search.index_store`); neighbours are found by
:mod:`semaniacs.embeddings.mining.neighbours`.
"""

from semaniacs.embeddings.search.search_index import Hit, SearchIndex, search

__all__ = ["Hit", "SearchIndex", "search"]
