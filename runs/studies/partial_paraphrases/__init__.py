"""Partial paraphrases: groups of four pairs that share less and less meaning, made and ranked.

- :mod:`.group_sources`: the groups of a table of paraphrases, by variant.
- :mod:`.pair_scorers`: what scores their pairs.
- :mod:`.ranking_study`: the paper's table again.
- :mod:`.ranking_rows`: how the figures of a scorer are computed and written.

``python -m runs.studies.partial_paraphrases`` generates and ranks groups.
"""
