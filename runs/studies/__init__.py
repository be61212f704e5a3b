"""Studies of a run: what its parts contribute, chosen and measured on 2015 and earlier.

``python -m runs.studies`` lists them. :mod:`runs.studies.contribution` has ablation and feature
importance, :mod:`~runs.studies.epochs` the number of epochs, :mod:`~runs.studies.model_selection`
the choice of the fusion, :mod:`~runs.studies.languages.language_overlap` which language helps English. Work is done on several processes
by :mod:`~runs.studies.workers` and kept by :mod:`~runs.studies.ledger`.
"""
