"""Sentence pairs with gold scores: the tasks that are known, their files, and the readers.

- :func:`.catalog.get_task`: a task by name, as a frozen record; :data:`.catalog.TASKS` lists all.
- :func:`.fetch.load`: the :class:`.Pairs` of a data set, verified, downloaded if need be.
- :func:`.readers.read_pairs`, :func:`.readers.pairs_from_text`: files of pairs;
  :mod:`.pair_table` and :mod:`.text_rows`: tables of pairs or of sentences, block by block.
"""
