"""Training of a transformer: on pairs of sentences that it encodes one by one, or together.

``lower_layers`` is the part that stays as it is and is computed once, ``upper_layers`` the part
that has a gradient; ``bi_encoder`` and ``reader_training`` train, and ``transformer_folder``
writes what they make. The loop, its checkpoints and its history are those of :mod:`semaniacs.embeddings.training`.
"""
