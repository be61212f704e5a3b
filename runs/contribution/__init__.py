"""Contribution of the parts of a run: ablation, feature importance and the behaviour suite.

- :mod:`.study`: a run on a task as matrices; :mod:`.prepare` computes them.
- :mod:`.ablation` and :mod:`.importance` measure; :mod:`.outputs` writes tables and files.
- :mod:`.behaviour`: sentences with the same words and another meaning.
- :mod:`.ledger` stores finished work, so that a command that was stopped resumes.
"""
