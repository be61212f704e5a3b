"""The task: sentence pairs, where they come from, and how predictions are scored.

Rooms: :mod:`.data` (pairs and the catalogue of tasks), :mod:`.text` (words, tags, languages),
:mod:`.scoring` (correlations, intervals, submission files), :mod:`.translation`, :mod:`.cache`.
Beside them stand what every room uses: errors, files, progress bars, command lines. Nothing here
knows an encoder or a model.
"""
