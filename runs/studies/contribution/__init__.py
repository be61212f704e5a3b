"""What each feature contributes to a fusion: ablation, importance, and their inputs and outputs.

A :class:`~runs.studies.contribution.study.Study` holds the matrices of a run on a task;
:func:`~runs.studies.contribution.prepare.prepare_study` makes one,
:func:`~runs.studies.contribution.ablation.ablate` and
:func:`~runs.studies.contribution.importance.measure_importance` study it, and
:func:`~runs.studies.contribution.outputs.summarise` gives both in the few numbers of a report.
"""
