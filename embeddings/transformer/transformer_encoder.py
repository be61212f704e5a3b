"""A transformer that encodes sentences, and gives the states of their tokens after any layer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import few, in_this_context
from semaniacs.embeddings.encoder import SentenceEncoder, threads
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.tokenizers.huggingface import refused
from semaniacs.embeddings.transformer import plain_forward
from semaniacs.embeddings.transformer.plain_forward import Gates, Lower, Shape
from semaniacs.embeddings.transformer.sentence_head import Head
from semaniacs.sts.errors import warn_caller
from semaniacs.sts.files import sha256_of_bytes
from semaniacs.sts.progress import sentences_are
from semaniacs.sts.text.signs import name_signs

LONGEST = 256  # tokens that all-MiniLM-L6-v2 reads of a text, [CLS] and [SEP] included
_SENTENCES = 4096  # sentences whose token numbers are in memory at once
_FEWEST, _MOST = 48, 960  # tokens that a thread takes at once, but for a longer sentence

Ids = list[int]

Text = str | tuple[str, str]  # A sentence, or two that are read together

Result = TypeVar("Result")


class Transformer(SentenceEncoder):
    """A BERT, its tokenizer, and the head that makes a sentence vector of its last states.

    Sentences are laid end to end in memory: their cost is that of their tokens. The same
    sentence has the same vector, to the last bit, in any batch. A UserWarning says that texts have
    more tokens than are read, or that most of their words are unknown.

    Args:
        weights: by the names of Devlin et al.'s own release, float32.
        shape: hyper-parameters.
        tokenizer: of the library tokenizers; its padding is taken off.
        head: from states to a vector; the unit mean by default.
        longest: number of tokens that are read of a text.
        lowercase: whether texts are lowercased before they are tokenized.
        names_signs: whether emoji are read by their names, see :func:`.name_signs`.
    """

    dim: int = 0
    tokenizer: Any
    is_network = True

    def __init__(
        self,
        weights: Mapping[str, Any],
        shape: Shape,
        tokenizer: Any,
        head: Head = Head(),  # noqa: B008 (a tuple does not change)
        longest: int = LONGEST,
        *,
        lowercase: bool = False,
        names_signs: bool = False,
    ) -> None:
        self.weights = dict(weights)
        self.shape, self.head, self.longest, self.lowercase = shape, head, longest, lowercase
        self.names_signs = names_signs
        self.tokenizer = tokenizer
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(longest)
        self.width = int(weights["embeddings.word_embeddings.weight"].shape[1])
        self.dim = head.dim(self.width)

    def with_weights(self, weights: Mapping[str, Any], head: Head | None = None) -> Transformer:
        """Return this network with other weights, and another head if one is given."""
        signs = {"lowercase": self.lowercase, "names_signs": self.names_signs}
        head = head or self.head
        return Transformer(weights, self.shape, self.tokenizer, head, self.longest, **signs)

    def _encode_into(self, vectors: Vectors, sentences: Sequence[str]) -> Iterator[int]:
        def vectors_of(ids: Sequence[Ids]) -> Vectors:
            lengths = np.array([len(one) for one in ids])
            return self.head.vectors(self.states(ids, self.head.reads(self.shape.layers)), lengths)

        for places, _, found in self._passes(sentences, vectors_of):
            vectors[places] = found
            yield len(places)

    def layers(
        self, sentences: Sequence[str], layers: Sequence[int]
    ) -> tuple[list[NDArray[np.int32]], list[list[NDArray[np.float32]]]]:
        """Return n arrays of token ids, and for each of ``layers`` n arrays of states (t, dim).

        ``layers`` are numbers of layers, from 0 (the embeddings) to the network's own number.
        """
        numbers = [np.empty(0, np.int32)] * len(sentences)
        states = [[np.empty((0, self.width), np.float32)] * len(sentences) for _ in layers]
        for places, ids, found in self._passes(sentences, lambda ids: self.states(ids, layers)):
            ends = np.cumsum([len(one) for one in ids])
            for kept, after in zip(states, found, strict=True):
                for place, one in zip(places, np.split(after, ends[:-1]), strict=True):
                    kept[place] = one
            for place, chosen in zip(places, ids, strict=True):
                numbers[place] = np.array(chosen, np.int32)
        return numbers, states

    @cached_property
    def digest(self) -> str:
        """Hash of the weights, the hyper-parameters and the tokenizer."""
        hashes = [(name, _hash(np.asarray(self.weights[name]))) for name in sorted(self.weights)]
        usual = tuple(Shape._field_defaults.values())
        shape = self.shape if self.shape[3:] != usual else self.shape[:3]
        made: list[Any] = [hashes, shape, self.tokenizer.to_str()]
        if (self.head, self.longest, self.lowercase) != (Head(), LONGEST, False):
            dense = [(_hash(w), _hash(b), activation) for w, b, activation in self.head.dense]
            made += [self.head.poolings, dense, self.head.normalize, self.longest, self.lowercase]
        if self.names_signs:
            made.append("names of signs")
        if self.head.layers:
            made.append(self.head.layers)
        if self.head.attention:
            made.append([_hash(weight) for weight in self.head.attention])
        return sha256_of_bytes(json.dumps(made).encode())

    @cached_property
    def _packed(self) -> Any:
        from semaniacs.embeddings.transformer.compiled_forward import pack

        return pack(self.weights, self.shape)

    def prepare(self) -> None:
        """Pack the weights once, before threads need them."""
        if not few():
            _ = self._packed

    def states(
        self,
        ids: Sequence[Ids],
        layers: Sequence[int],
        token_types: Sequence[Ids] | None = None,
        gates: Gates | None = None,
        lower: Lower | None = None,
    ) -> NDArray[np.float32]:
        """Return the states (len(layers), tokens, dim) of tokens after some layers: in NumPy where kernels are
        interpreted, else by :func:`.compiled_forward.states_after`, with other last digits.
        """
        if few():
            return plain_forward.states_after(
                self.weights, self.shape, ids, layers, token_types, gates, lower
            )
        from semaniacs.embeddings.transformer import compiled_forward

        return compiled_forward.states_after(
            self._packed, self.shape, ids, layers, token_types, gates, lower
        )

    def _passes(
        self, sentences: Sequence[str], work: Callable[[Sequence[Ids]], Result]
    ) -> Iterator[tuple[list[int], list[Ids], Result]]:
        """Yield places, token numbers and the result of ``work`` for some sentences at a time.

        Threads share the work. A sentence without a token has no place.
        """
        counts, cut = np.zeros(3, np.int64), 0
        self.prepare()
        for first in range(0, len(sentences), _SENTENCES):
            encoded = self._tokenize(list(sentences[first : first + _SENTENCES]))
            cut += sum(bool(one.overflowing) for one in encoded)
            ids = [one.ids for one in encoded]
            counts += self._kinds_of(ids)
            groups = _shares([len(one) for one in ids], threads())
            with ThreadPoolExecutor(threads()) as pool:
                chosen = [[ids[place] for place in group] for group in groups]
                for group, some, result in zip(
                    groups, chosen, pool.map(in_this_context(work), chosen), strict=True
                ):
                    yield [first + place for place in group], some, result
        self._warn(cut, len(sentences), counts)

    def read_tokens(self, texts: Sequence[Text], *, pieces: bool = False) -> list[Any]:
        """Return encodings of texts, with ``ids`` and ``type_ids``; it warns as :meth:`encode`.

        A long text is cut, or with ``pieces`` read in pieces that follow each other.
        """
        encoded = self._tokenize(list(texts))
        if pieces:
            encoded = [piece for one in encoded for piece in (one, *one.overflowing)]
        cut = 0 if pieces else sum(bool(one.overflowing) for one in encoded)
        self._warn(cut, len(texts), self._kinds_of([one.ids for one in encoded]))
        return encoded

    def _kinds_of(self, ids: Sequence[Sequence[int]]) -> NDArray[np.int64]:
        """Return the number of tokens (3,) of each kind of :func:`kinds_of_tokens`."""
        flat = np.fromiter(chain.from_iterable(ids), np.int32)
        return np.bincount(self._kinds[flat], minlength=3)

    def _warn(self, cut: int, of: int, counts: NDArray[np.int64]) -> None:
        if cut:
            warn_caller(
                f"{sentences_are(cut, f'{of:,}')} longer than {self.longest} tokens; "
                "what follows these was not read"
            )
        _, words, letters = counts.tolist()
        if not self._warned and words + letters >= _ENOUGH and letters > words:
            self._warned = True
            warn_caller(
                f"the model has no words for most of this text: {letters / (words + letters):.0%} of "
                "its tokens are single letters or unknown; choose a model that knows the language"
            )

    _warned = False

    @cached_property
    def _kinds(self) -> NDArray[np.int8]:
        return kinds_of_tokens(self.tokenizer.get_vocab())

    def _tokenize(self, texts: list[Text]) -> list[Any]:
        if self.names_signs:
            texts = [_each(name_signs, text) for text in texts]
        if self.lowercase:
            texts = [_each(str.lower, text) for text in texts]
        encoded: list[Any]
        try:
            try:
                encoded = self.tokenizer.encode_batch_fast(texts)
            except (UnicodeEncodeError, TypeError):  # a lone surrogate, alone or in a pair
                readable = [_each(_readable, text) for text in texts]
                encoded = self.tokenizer.encode_batch_fast(readable)
        except BaseException as error:
            raise refused(error) from None
        return encoded


def _hash(weight: NDArray[Any]) -> str:
    return sha256_of_bytes(weight.tobytes())


def _each(change: Callable[[str], str], text: Text) -> Text:
    return change(text) if isinstance(text, str) else (change(text[0]), change(text[1]))


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _shares(lengths: Sequence[int], workers: int) -> list[list[int]]:
    most = min(_MOST, max(_FEWEST, -(-sum(lengths) // workers)))
    groups: list[list[int]] = []
    tokens = most
    for place, length in enumerate(lengths):
        if length and tokens + length > most:
            groups.append([])
            tokens = 0
        if length:
            groups[-1].append(place)
            tokens += length
    return groups


_WORD, _LETTER = 1, 2
_MARKS = ("##", "▁", "Ġ", "Ċ")
_ENOUGH = 50  # tokens with letters that such a claim needs
_UNKNOWN = frozenset({"[UNK]", "<unk>"})
_IDEOGRAPHS = "\u2e80"  # from here on a character may be a word: Chinese is not spelled


def kinds_of_tokens(vocabulary: Mapping[str, int]) -> NDArray[np.int8]:
    """Kind of each token by number: 0 without letters, 1 a word or part, 2 a letter or unknown."""
    kinds = np.zeros(max(vocabulary.values(), default=-1) + 1, np.int8)
    for token, number in vocabulary.items():
        text = token
        for mark in _MARKS:
            text = text.removeprefix(mark)
        if token in _UNKNOWN or (len(text) == 1 and text.isalpha() and text < _IDEOGRAPHS):
            kinds[number] = _LETTER
        elif text.isalpha():
            kinds[number] = _WORD
    return kinds
