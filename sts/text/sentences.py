"""Sentences of a longer text, and the part of two sentences that is not the same.

By rules for English. A line end that no mark precedes ends nothing: items of a list stay together,
since their order may say something.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"""[.!?…]["'”’)\]]*\s+(?=["'“‘(\[]?[A-Z0-9])|;\s+|(?<=:)\n+|\n\s*\n""")
_NO_END = re.compile(r"(?:^|\n)\s*\d+\.$|\b[A-Z][a-z]{0,2}\.$|\.\w+\.$")
"""The number of an item, a title or an initial, and an abbreviation: "1.", "Mrs.", "p.m."."""

_CLAUSE = re.compile(
    r"(?:[,;:—–!?]|(?<!\d)\.)\s+|\s(?=(?:after|although|because|before|but|if|since|so|that|though|unless|"
    r"until|when|where|whereas|which|while|who)\b)"
)

_FEWEST = 3
"""Words that must be left of a sentence: fewer say too little alone."""


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text without the space around them; a blank text has none."""
    found, begin = [], 0
    for mark in _MARK.finditer(text):
        if not _NO_END.search(text[begin : mark.end()].rstrip()):
            found.append(text[begin : mark.end()])
            begin = mark.end()
    return [one for one in map(str.strip, [*found, text[begin:]]) if one]


def unlike_parts(left: str, right: str) -> tuple[str, str]:
    """Return two sentences without the clauses that they begin and end with alike.

    They are whole if fewer than three words of one would be left.
    """
    begin = max(
        (m.end() for m in _CLAUSE.finditer(left) if right.startswith(left[: m.end()])), default=0
    )
    one, other = left[begin:], right[begin:]
    same = max(
        (len(one) - m.start() for m in _CLAUSE.finditer(one) if other.endswith(one[m.start() :])),
        default=0,
    )
    parts = one[: len(one) - same], other[: len(other) - same]
    return parts if all(len(part.split()) >= _FEWEST for part in parts) else (left, right)
