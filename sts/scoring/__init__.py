"""How good predictions are.

- :mod:`.correlation`: ``pearson``, ``spearman``.
- :mod:`.task_score`: ``score_task``, the scores of the data sets and the three averages.
- :mod:`.bootstrap`: confidence intervals, and the comparison of two systems.
- :mod:`.classification`: labelled pairs: accuracy, F1, AUC, the threshold of a development set.
- :mod:`.ranking`: groups of four pairs: R-Precision and Spearman in each group.
- :mod:`.mined_pairs`: precision, recall and F1 of mined sentence pairs.
- :mod:`.submission`: the organisers' file format; :mod:`.system_files`: what teams hand in;
  :mod:`.gold_standard`: what it is scored against.
- :mod:`.leaderboard`: the ranking of many submissions.
"""
