"""What a request may hold: JSON read and checked, every fault told in one sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Pair = tuple[str, str]


@dataclass(frozen=True)
class Limits:
    """What one server takes.

    Attributes:
        body: bytes of a request.
        pairs: pairs of a request; sentences to embed may be twice as many.
        characters: of a sentence.
        waiting: requests of a kind that may wait for the one that is being answered.
        seconds: in which the body of a request must have arrived.
    """

    body: int = 1_000_000
    pairs: int = 1_000
    characters: int = 8_000
    waiting: int = 128
    seconds: float = 30.0


class RequestError(Exception):
    """A request that is refused.

    Args:
        status: of HTTP.
        message: one sentence for the person who asked.
        headers: of the answer.
    """

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = dict(headers or {})


BlankPair = Literal["error", "null", "zero"]


@dataclass(frozen=True)
class ScoreRequest:
    """Pairs to score.

    Attributes:
        pairs: their sentences.
        model: its name, or None for the server's first.
        empty: what a pair with a blank sentence gets.
        languages: codes of the left and the right sentences, or None.
    """

    pairs: list[Pair]
    model: str | None
    empty: BlankPair
    languages: Pair | None


@dataclass(frozen=True)
class ExplainRequest:
    """One pair to explain, and the model, or None for the server's first."""

    pair: Pair
    model: str | None


@dataclass(frozen=True)
class EmbedRequest:
    """Sentences to encode, the encoder (None is the server's first) and their language."""

    sentences: list[str]
    model: str | None
    language: str | None
    base64: bool = False


def read_json(body: bytes) -> dict[str, Any]:
    """The JSON object in a body.

    Raises:
        RequestError: there is none.
    """
    try:
        found = json.loads(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise RequestError(400, "the body is not UTF-8; send JSON in UTF-8") from None
    except RecursionError:
        raise RequestError(400, "the body is JSON that is nested too deeply") from None
    except ValueError as error:
        # The error's own text ends in the place; the message alone holds no sentence.
        raise RequestError(400, f"the body is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise RequestError(422, "the body is not a JSON object; expected {…}")
    return found


def score_request(body: dict[str, Any], limits: Limits) -> ScoreRequest:
    """Read the body of ``/score``; a :class:`RequestError` if it is not as it must be."""
    _check_keys(body, ("pairs", "left", "right", "model", "empty", "languages"))
    empty = body.get("empty", "error")
    if empty not in ("error", "null", "zero"):
        raise RequestError(422, 'empty must be "error", "null" or "zero"')
    pairs = _pairs(body, limits)
    for place, pair in enumerate(pairs):
        blank_allowed = empty != "error"
        for side, sentence in zip(("left", "right"), pair, strict=True):
            _check_sentence(sentence, f"the {side} sentence of pair {place}", limits, blank_allowed)
    languages = body.get("languages")
    if languages is not None:
        known = isinstance(languages, list) and len(languages) == 2
        if not known or not all(isinstance(code, str) for code in languages):
            raise RequestError(422, 'languages must be two codes, such as ["de", "en"]')
        languages = (languages[0], languages[1])
    return ScoreRequest(pairs, _name(body, "model"), empty, languages)


def explain_request(body: dict[str, Any], limits: Limits) -> ExplainRequest:
    """Read the body of ``/explain``; a :class:`RequestError` if it is not as it must be."""
    _check_keys(body, ("left", "right", "model"))
    for side in ("left", "right"):
        if side not in body:
            raise RequestError(422, 'one pair is needed: {"left": "…", "right": "…"}')
        _check_sentence(body[side], f"the {side} sentence", limits)
    return ExplainRequest((body["left"], body["right"]), _name(body, "model"))


def embed_request(body: dict[str, Any], limits: Limits) -> EmbedRequest:
    """Read the body of ``/embed``; a :class:`RequestError` if it is not as it must be."""
    _check_keys(body, ("sentences", "model", "language"))
    sentences = _sentences(body, "sentences", limits)
    return EmbedRequest(sentences, _name(body, "model"), _name(body, "language"))


def openai_request(body: dict[str, Any], limits: Limits) -> EmbedRequest:
    """Read the body of ``/v1/embeddings``, as OpenAI's clients send it.

    A ``user`` is taken and not used; ``dimensions`` cannot be chosen.
    """
    _check_keys(body, ("input", "model", "encoding_format", "user"))
    if isinstance(body.get("input"), str):
        body = body | {"input": [body["input"]]}
    encoding = body.get("encoding_format", "float")
    if encoding not in ("float", "base64"):
        raise RequestError(422, 'encoding_format must be "float" or "base64"')
    sentences = _sentences(body, "input", limits)
    return EmbedRequest(sentences, _name(body, "model"), None, encoding == "base64")


def _check_keys(body: dict[str, Any], known: tuple[str, ...]) -> None:
    for key in body:
        if key not in known:
            raise RequestError(422, f"unknown key {key[:40]!r}; known are: {', '.join(known)}")


def _name(body: dict[str, Any], key: str) -> str | None:
    name = body.get(key)
    if name is not None and not isinstance(name, str):
        raise RequestError(422, f"{key} must be a string")
    return name


def _pairs(body: dict[str, Any], limits: Limits) -> list[Pair]:
    """The pairs, given as such or as two lists."""
    if "pairs" in body and not {"left", "right"} & set(body):
        pairs = _list(body, "pairs", limits.pairs)
        for place, pair in enumerate(pairs):
            if not isinstance(pair, list) or len(pair) != 2:
                raise RequestError(422, f"pair {place} is not a list of two sentences")
        return [(left, right) for left, right in pairs]
    if "left" not in body or "right" not in body or "pairs" in body:
        raise RequestError(422, 'give either "pairs", or "left" and "right"')
    left, right = (_list(body, side, limits.pairs) for side in ("left", "right"))
    if len(left) != len(right):
        raise RequestError(422, f"{len(left)} left and {len(right)} right sentences; give as many")
    return list(zip(left, right, strict=True))


def _sentences(body: dict[str, Any], key: str, limits: Limits) -> list[str]:
    sentences = _list(body, key, 2 * limits.pairs)
    for place, sentence in enumerate(sentences):
        _check_sentence(sentence, f"sentence {place} of {key}", limits, blank_allowed=True)
    return sentences


def _list(body: dict[str, Any], key: str, most: int) -> list[Any]:
    found = body.get(key)
    if not isinstance(found, list):
        raise RequestError(422, f"{key} must be a list")
    if len(found) > most:
        raise RequestError(
            422, f"{key} holds {len(found):,} items; at most {most:,} fit in a request"
        )
    return found


def _check_sentence(sentence: Any, what: str, limits: Limits, blank_allowed: bool = False) -> None:
    if not isinstance(sentence, str):
        raise RequestError(422, f"{what} is not a string")
    if len(sentence) > limits.characters:
        raise RequestError(
            422,
            f"{what} has {len(sentence):,} characters; at most {limits.characters:,} are read",
        )
    if any("\ud800" <= character <= "\udfff" for character in sentence):
        raise RequestError(422, f"{what} holds half of a surrogate pair, which is no character")
    if not blank_allowed and not sentence.strip():
        raise RequestError(422, f"{what} is blank; a pair needs two sentences")
