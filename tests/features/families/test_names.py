"""Names: pairs in which one is replaced, and pairs in which it is said in another way."""

from __future__ import annotations
