"""Training of encoders: one loop for pairs, bitext, distillation and taught languages.

A training is a :class:`~semaniacs.embeddings.configuration.Schedule`, a
:class:`~semaniacs.embeddings.training.trainable.Trainable` (parameters, any pytree, and a loss) and
:class:`~semaniacs.embeddings.training.loop.TrainingData`; :func:`semaniacs.embeddings.training.loop.run` runs
it, writes its checkpoints and returns its history. To train on pairs of sentences, call
:func:`semaniacs.embeddings.training.pair_training.train` with a
:class:`~semaniacs.embeddings.configuration.Training`.
"""
