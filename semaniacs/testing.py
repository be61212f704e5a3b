"""Assertions for tests: ``assert_similar`` and ``assert_different``.

>>> from semaniacs.testing import assert_similar
>>> assert_similar("A dog runs.", "A dog is running.", at_least=4)

With pytest, use the fixtures ``similar`` and ``different``; ``--semaniacs-model`` chooses the model.
"""

from semaniacs.runs.report.assertions import assert_different, assert_similar

__all__ = ["assert_different", "assert_similar"]
