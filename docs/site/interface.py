"""The reference of the public Python names; mkdocstrings reads their docstrings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import semaniacs
from semaniacs import embeddings, testing
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.search import Hit
from semaniacs.runs.report.explanation import ExplainedPair
from semaniacs.sts.scoring.cross_validation import CrossValidation

SCORING = ("correlation", "task_score", "bootstrap", "mined_pairs", "submission")


def pages() -> dict[str, str]:
    """Markdown by the path of the page."""
    names = [name for name in semaniacs.__all__ if name != "embeddings"]  # has a page of its own
    front = [(f"semaniacs.{name}", getattr(semaniacs, name)) for name in names]
    front += [("The result of explain", ExplainedPair), ("The report of fit", CrossValidation)]
    front.append(("What an index finds", Hit))
    front += [(f"semaniacs.testing.{name}", getattr(testing, name)) for name in testing.__all__]
    vectors = [(f"embeddings.{name}", getattr(embeddings, name)) for name in embeddings.__all__]
    vectors.append(("What embeddings.load returns", Encoder))
    return {
        "reference/semaniacs.md": _names("semaniacs", front),
        "reference/embeddings.md": _names("embeddings", vectors),
        "reference/scoring.md": "# semaniacs.sts.scoring\n\n"
        + "".join(f"::: semaniacs.sts.scoring.{module}\n\n" for module in SCORING),
    }


def _names(title: str, names: Iterable[tuple[str, Any]]) -> str:
    """A page of directives, each under its public name."""
    entries = [
        f"::: {thing.__module__}.{thing.__qualname__}\n"
        f"    options:\n      heading: {public}\n      toc_label: {public}\n"
        for public, thing in names
    ]
    return "\n".join([f"# {title}\n", *entries])
