"""A bidirectional LSTM over word vectors: the encoder LSTM-SP.

:class:`~embeddings.recurrent.lstm.RecurrentEncoder` encodes; the network is trained by
:mod:`embeddings.bitext`.
"""
