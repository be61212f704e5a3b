"""How good predictions are.

- :mod:`.correlation`: ``pearson``, ``spearman``.
- :mod:`.task_score`: ``score_task``, the scores of the data sets and the three averages.
- :mod:`.bootstrap`: confidence intervals, and the comparison of two systems.
- :mod:`.mined_pairs`: precision, recall and F1 of mined sentence pairs.
- :mod:`.submission`: the organisers' file format.
"""
