"""Encoders on disk, and the plain files that go with them; :mod:`embeddings.loading` chooses.

- :mod:`~embeddings.formats.single_file`, :mod:`~embeddings.formats.folder`: our own formats, and
  the folders of model2vec and sentence-transformers;
- :mod:`~embeddings.formats.word2vec`: word2vec and GloVe;
- :mod:`~embeddings.formats.lines`, :mod:`~embeddings.formats.numpy_file`: sentences in, vectors
  out, as streams.
"""
