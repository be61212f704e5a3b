"""Sentence pairs with gold scores: the tasks that are known, their files, and the readers.

- :func:`.catalog.get_task`: a task by name, as a frozen record; :data:`.catalog.TASKS` lists all.
- :func:`.fetch.load`: the :class:`.Pairs` of a data set, verified, downloaded if need be.
- :func:`.pairs.read_pairs`, :func:`.pairs.pairs_from_text`: a user's own files.
"""
