"""Training of a transformer: on pairs of sentences that it encodes one by one, or together.

:mod:`~embeddings.transformer.fine_tuning.upper_layers` is the network as a function that has a
gradient, :mod:`~embeddings.transformer.fine_tuning.lower_layers` the part that stays as it is
and is computed once, :mod:`~embeddings.transformer.fine_tuning.bi_encoder` and
:mod:`~embeddings.transformer.fine_tuning.cross_encoders` are what is trained. The loop, its checkpoints
and its history are those of :mod:`embeddings.training`.
"""
