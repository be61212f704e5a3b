"""Sentence pairs, where they come from, and how predictions are scored.

Packages: :mod:`.data` (pairs and the catalogue of tasks), :mod:`.text` (words, tags, languages),
:mod:`.scoring` (correlations, intervals, submission files), :mod:`.translation`, :mod:`.cache`.
The modules beside them are used everywhere: errors, files, progress bars, command lines.
"""
