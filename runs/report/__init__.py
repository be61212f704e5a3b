"""What a run did, for people: one HTML page about it, and two answers for the terminal.

``python -m runs.report`` writes the page: :func:`~runs.report.findings.collect` gathers its
:class:`~runs.report.findings.Findings`, :func:`~runs.report.page.page` lays them out.
:func:`~runs.report.comparison.compare` says whether one submission is better than another, and
:func:`~runs.report.explanation.explain_pairs` which features moved the score of a pair.
"""
