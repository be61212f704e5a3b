"""Translations as plain strings."""

from __future__ import annotations

from collections.abc import Iterable

from sts.translation import Translation


def plain(translations: Iterable[Translation]) -> list[str]:
    """Their texts, in order."""
    return [translation.text for translation in translations]
