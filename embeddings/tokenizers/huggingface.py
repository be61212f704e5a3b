"""Tokenizers of Hugging Face's ``tokenizers`` library, as static models of others bring them."""

from __future__ import annotations

import json
from functools import cached_property
from typing import Any

import numpy as np

from semaniacs.embeddings.tokenizers.row_numbers import Tokenizer
from semaniacs.sts.errors import DataError
from semaniacs.sts.progress import visible

LONGEST_SAID = 200  # characters of a library's message that are shown


def open_tokenizer(text: str) -> Any:
    """The library's tokenizer of a ``tokenizer.json``; a ValueError if the JSON is none."""
    from tokenizers import Tokenizer as Library

    try:
        return Library.from_str(text)
    except BaseException as error:
        raise ValueError(f"no tokenizer ({said_by(error)})") from None


def said_by(error: BaseException) -> str:
    """Return the library's message in a short line; interrupts and the like are raised again.

    It raises nothing narrower than Exception, and where it panics not even that.
    """
    if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
        raise error
    return visible(" ".join(str(error).split()))[:LONGEST_SAID]


def refused(error: BaseException) -> DataError:
    """Return the error of a tokenizer that cannot read a text; the library does not say which one."""
    return DataError(
        f"the tokenizer cannot read a text ({said_by(error)}); "
        "its tokenizer.json is damaged: save the model again"
    )


class HuggingFaceTokenizer(Tokenizer):
    """Text to row numbers by a ``tokenizers.Tokenizer``; there are no hashed rows.

    Args:
        text: the contents of a ``tokenizer.json``; a ValueError if it is none.
        keep_unknown: whether the unknown token has a row that counts.
        longest: tokens after so many are cut off, as model2vec does; None keeps all.
    """

    def __init__(self, text: str, *, keep_unknown: bool, longest: int | None = None) -> None:
        self.library = open_tokenizer(text)
        described = json.loads(text)["model"]
        self.keep_unknown, self.longest = keep_unknown, longest
        self.library.no_padding()
        if not keep_unknown and longest is not None:
            self.library.enable_truncation(longest)
        elif not keep_unknown:
            self.library.no_truncation()
        self.rows = self.library.get_vocab()
        names = {row: token for token, row in self.rows.items()}
        if max(names, default=0) > 10 * len(names) + 100_000:
            raise ValueError(f"no tokenizer (row {max(names):,} for {len(names):,} tokens)")
        self.known = tuple(names.get(row, "") for row in range(max(names, default=-1) + 1))
        name = described.get("unk_token")
        self.unknown = described.get("unk_id") if name is None else self.rows.get(name)

    @cached_property
    def _characters_read(self) -> int | None:
        """Characters that model2vec reads of a sentence: its limit times the median token."""
        if self.longest is None:
            return None
        return self.longest * int(np.median([len(token) for token in self.rows]))

    def ids(self, text: str) -> list[int]:
        """Row numbers of the tokens of a sentence, without the special ones that mark its ends."""
        start = text[: self._characters_read]
        readable = start.encode("utf-8", "replace").decode()  # no lone surrogates
        try:
            found: list[int] = self.library.encode(readable, add_special_tokens=False).ids
        except BaseException as error:
            raise refused(error) from None
        return found if self.keep_unknown else [row for row in found if row != self.unknown]

    def identity(self) -> str:
        """Everything that decides :meth:`ids`: the tokenizer, and what is done with unknowns."""
        return json.dumps(["huggingface", self.keep_unknown, self.longest, self.to_json()])

    def to_json(self) -> str:
        """The tokenizer as JSON, for a ``tokenizer.json``."""
        text: str = self.library.to_str()
        return text
