"""What a run, or another team's files, did: one HTML page about it, and answers for the terminal.

``semaniacs report`` writes the page: :func:`~runs.report.findings.collect` gathers its
:class:`~runs.report.findings.Findings`, :func:`~runs.report.page.page` lays them out.
:mod:`runs.report.evaluation` shows a ranking of submissions, and
:func:`~runs.report.explanation.explain_pairs` which features moved the score of a pair.
"""
