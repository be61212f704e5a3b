"""Encoders on disk, and the plain files that go with them.

- :mod:`~embeddings.formats.single_file`, :mod:`~embeddings.formats.patch`,
  :mod:`~embeddings.formats.folder`: our own formats;
- :mod:`~embeddings.formats.static_models`, :mod:`~embeddings.formats.word2vec`: other libraries';
- :mod:`~embeddings.formats.export`: writes the format that a person names;
- :mod:`~embeddings.formats.fingerprint`: a hash that tells encoders apart;
- :mod:`~embeddings.formats.lines`, :mod:`~embeddings.formats.numpy_file`: sentences in,
  vectors out, as streams.

:mod:`embeddings.loading` chooses the format.
"""
