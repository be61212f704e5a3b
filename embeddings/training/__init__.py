"""Training of encoders: one loop for pairs, bitext, distillation and taught languages.

A training is a :class:`~embeddings.training.configuration.Schedule`, a
:class:`~embeddings.training.trainable.Trainable` (parameters, any pytree, and a loss) and
:class:`~embeddings.training.loop.TrainingData`; :func:`embeddings.training.loop.run` runs
it, writes its checkpoints and returns its history. To train on pairs of sentences, call
:func:`embeddings.training.pair_training.train` with a
:class:`~embeddings.training.configuration.Training`.
"""
