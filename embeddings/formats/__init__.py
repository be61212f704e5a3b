"""Encoders on disk, and the plain files that go with them; :mod:`semaniacs.embeddings.loading` chooses.

- :mod:`~semaniacs.embeddings.single_file`, :mod:`~semaniacs.embeddings.formats.folder`: our own formats, and
  the folders of model2vec and sentence-transformers;
- :mod:`~semaniacs.embeddings.formats.word2vec`: word2vec and GloVe;
- :mod:`~semaniacs.embeddings.formats.lines`, :mod:`~semaniacs.embeddings.formats.numpy_file`: sentences in, vectors
  out, as streams.
"""
