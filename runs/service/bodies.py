"""Bodies of requests and answers: FastAPI checks them, and describes them in ``/docs``."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Base64Bytes,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from semaniacs.features.contradictions.answers import beside_questions
from semaniacs.features.word_matches import MatchedSide
from semaniacs.runs.report.decisive_words import DecisiveWords
from semaniacs.runs.report.explanation import Contribution
from semaniacs.sts.data.pairs import is_blank

MOST_BYTES = 1_000_000
MOST_PAIRS = 1_000
MOST_CHARACTERS = 8_000
MOST_INPUTS = 2_048  # as in OpenAI's API
MOST_FILE_BYTES = 32_000_000
LIMITS = {"pairs": MOST_PAIRS, "characters": MOST_CHARACTERS, "bytes": MOST_BYTES}

Sentence = Annotated[str, Field(max_length=MOST_CHARACTERS, pattern=r"^[^\x00]*$")]  # as in files
Filled = Annotated[Sentence, AfterValidator(lambda text: check_filled(text, "it"))]
Sentences = Annotated[list[Sentence], Field(max_length=MOST_INPUTS)]
Document = Annotated[
    Sentence, BeforeValidator(lambda one: one.get("text") if isinstance(one, dict) else one)
]
Side = Annotated[list[Sentence], Field(max_length=MOST_PAIRS)]
Pair = Annotated[list[Sentence], Field(min_length=2, max_length=3)]
Codes = Annotated[list[str], Field(min_length=2, max_length=2)]


class Request(BaseModel):
    """Keys that all requests share; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(None, description="Name from /health; default: the first one.")


class ScoreRequest(Request):
    """Pairs to score, as ``pairs`` or as the two lists ``left`` and ``right``.

    A third text of a pair is the question that both answer.
    """

    pairs: Annotated[list[Pair], Field(max_length=MOST_PAIRS)] | None = Field(
        None, examples=[[["A dog runs.", "A dog is running."]]]
    )
    left: Side | None = None
    right: Side | None = None
    empty: Literal["error", "null", "nan", "zero"] = Field(
        "error", description="Result for a pair with a blank sentence; nan is null in JSON."
    )
    languages: Codes | None = Field(
        None, description='Codes of the left and the right sentences, such as ["de", "en"].'
    )
    level: float | None = Field(None, description="Probability of intervals: 0.5 to 0.98.")
    calibration: str | None = Field(None, description="Name from /health.")
    differences: bool = Field(False, description="Say what contradicts.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [name for name in ("pairs", "left", "right") if getattr(self, name) is not None]
        if given not in (["pairs"], ["left", "right"]):
            raise ValueError('give either "pairs", or "left" and "right"')
        left, right = self.sides
        if len(left) != len(right):
            raise ValueError(f"{len(left)} left and {len(right)} right sentences; give as many")
        if self.empty == "error":
            for row, (one, other) in enumerate(zip(left, right, strict=True)):
                check_filled(one, f"the left sentence of pair {row}")
                check_filled(other, f"the right sentence of pair {row}")
        return self

    @property
    def sides(self) -> tuple[list[str], list[str]]:
        """Left and right sentences."""
        if self.pairs is None:
            return self.left or [], self.right or []
        return [pair[0] for pair in self.pairs], [pair[1] for pair in self.pairs]

    @property
    def read(self) -> tuple[list[str], list[str]]:
        """Both sides, as they are read beside their questions."""
        asked = [pair[2] if len(pair) > 2 else "" for pair in self.pairs or ()]
        return beside_questions(asked, *self.sides) if any(asked) else self.sides


class ExplainRequest(Request):
    """One pair to explain."""

    left: Filled = Field(examples=["A dog runs."])
    right: Filled = Field(examples=["A dog is running."])


class EmbedRequest(Request):
    """Sentences to encode."""

    sentences: Sentences = Field(examples=[["A dog runs."]])
    language: str | None = None


class OpenAIRequest(Request):
    """Sentences to encode, as OpenAI's clients send them."""

    input: Filled | Annotated[list[Filled], Field(min_length=1, max_length=MOST_INPUTS)] = Field(
        examples=["A dog runs."]
    )
    encoding_format: Literal["float", "base64"] = "float"
    dimensions: int | None = Field(None, description="Numbers to keep of each vector.")
    user: str | None = Field(None, description="Not used.")

    @field_validator("input", mode="before")
    @classmethod
    def _check(cls, value: Any) -> Any:
        if isinstance(value, list) and any(isinstance(one, int | list) for one in value):
            raise ValueError(
                "token numbers of OpenAI's tokenizer, which this server cannot read; send strings "
                "(in LangChain: check_embedding_ctx_len=False)"
            )
        return value


class RerankRequest(Request):
    """Documents to rank by their similarity to a query, as clients of Cohere and Jina send them.

    Each is a string, or an object with a ``text``; a blank one scores 0.
    """

    query: Filled = Field(examples=["A dog runs."])
    documents: Annotated[list[Document], Field(min_length=1, max_length=MOST_PAIRS)] = Field(
        examples=[["Stocks fell.", "A dog is running."]]
    )
    top_n: int | None = Field(None, ge=1, description="Most results; default: all documents.")
    return_documents: bool = False


class ScoreAnswer(BaseModel):
    """Scores from 0 to 5, in the order of the pairs; null for a pair with a blank sentence."""

    model: str
    scores: list[float | None]
    warning: str | None
    low: list[float | None] = Field([], description="Lower bounds of intervals.")
    high: list[float | None] = Field([], description="Upper bounds of intervals.")
    differences: list[tuple[str, ...]] = Field([], description="Sentences for each pair.")
    contradicts: list[bool] = Field([], description="Whether these are contradictions.")


class Table(BaseModel):
    """A file that is opened on the page; what is null is found out."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(examples=["pairs.csv"])
    content: Base64Bytes = Field(examples=["YSxiCkEgZG9nLixBIGNhdC4K"])
    encoding: str | None = None
    delimiter: str | None = Field(None, min_length=1, max_length=1)
    header: bool | None = None
    added: dict[str, list[float | int | str | None]] = Field({}, description="New columns.")


class Explanation(BaseModel):
    """The score of one pair; ``base`` and the contributions add up to it."""

    model: str
    score: float
    base: float | None = Field(description="null if the model is a cosine alone.")
    contributions: list[Contribution] = Field(description="The largest first.")
    groups: dict[str, str] = Field(description="What each group of features compares.")
    differences: tuple[str, ...] = Field((), description="Contradictions, in words.")
    sentences: tuple[str, ...] = Field((), description="The same in sentences, the clearest first.")
    names: dict[str, str] = Field({}, description="What each feature compares.")
    decisive_words: tuple[DecisiveWords, ...] = Field(
        (), description="Words of both sides, and the score without that difference."
    )
    words: dict[Literal["left", "right"], MatchedSide]
    warning: str | None


class EmbedAnswer(BaseModel):
    """One vector per sentence, not normalised; zeros for a blank one."""

    model: str
    embeddings: list[list[float]]


class ErrorAnswer(BaseModel):
    """One sentence that says what is wrong."""

    error: dict[Literal["message"], str]


def check_filled(sentence: str, name: str) -> str:
    """Return a sentence; raise a ValueError if it is blank."""
    if is_blank(sentence):
        raise ValueError(f"{name} is blank; expected a sentence")
    return sentence
