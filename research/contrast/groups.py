"""Groups of sentences around an anchor, the form in which generators hand over labelled pairs."""

from __future__ import annotations

from typing import NamedTuple

from research.contrast.sources import Labelled
from semaniacs.embeddings.transformer.fine_tuning.own_pairs import TARGETS


class Group(NamedTuple):
    """Sentences around one anchor: those that mean the same, and those that look alike and do not."""

    phenomenon: str
    anchor: str
    same: tuple[str, ...]
    different: tuple[str, ...]

    def pairs(self) -> list[Labelled]:
        """Return the anchor beside each other sentence, with a target."""
        same, other = TARGETS["paraphrase"], TARGETS["not_paraphrase"]
        targets = [same] * len(self.same) + [other] * len(self.different)
        tag = f"generated:{self.phenomenon}"
        texts = (*self.same, *self.different)
        return [Labelled(self.anchor, *row, tag) for row in zip(texts, targets, strict=True)]
