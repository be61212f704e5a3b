"""The routes: from a request to an answer, in JSON."""

from __future__ import annotations

import asyncio
import base64
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from runs.service.batch_queue import BatchQueue, QueueFullError, Work
from runs.service.guards import HEADERS, Access, Guard, error_response, read_body
from runs.service.request_bodies import (
    EmbedRequest,
    Limits,
    RequestError,
    embed_request,
    explain_request,
    openai_request,
    read_json,
    score_request,
)
from runs.service.served_models import ServedModels
from runs.service.web_page import build_page

RETRY_AFTER = 1
"""Seconds after which a client may try again that found the queue full."""

Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
"""From the JSON of a request to that of its answer."""


class Service:
    """The answers to every kind of request.

    Args:
        models: what it answers with.
        limits: what it takes.
    """

    def __init__(self, models: ServedModels, limits: Limits) -> None:
        self.models = models
        self.limits = limits
        self.scoring = BatchQueue(limits.waiting, "scoring")
        self.encoding = BatchQueue(limits.waiting, "encoding")

    def close(self) -> None:
        """Answer what waits and end the threads."""
        self.scoring.close()
        self.encoding.close()

    async def score(self, body: dict[str, Any]) -> dict[str, Any]:
        """``POST /score``: the score of each pair; null for a blank sentence if so wanted."""
        asked = score_request(body, self.limits)
        work = self.models.scoring(asked.model, asked.languages)
        scores = await _ask(self.scoring, work, list(asked.pairs))
        blank = 0.0 if asked.empty == "zero" else None
        return {
            "model": asked.model or next(iter(self.models.scorers)),
            "scores": [blank if math.isnan(score) else score for score in scores],
            "warning": self.models.warning(asked.model, asked.pairs, asked.languages),
        }

    async def explain(self, body: dict[str, Any]) -> dict[str, Any]:
        """``POST /explain``: one pair, its score and what it is made of, and its words."""
        asked = explain_request(body, self.limits)
        (found,) = await _ask(self.scoring, self.models.explaining(asked.model), [asked.pair])
        answer: dict[str, Any] = found
        return answer | {"warning": self.models.warning(asked.model, [asked.pair])}

    async def embed(self, body: dict[str, Any]) -> dict[str, Any]:
        """``POST /embed``: a vector a sentence."""
        name, vectors, _ = await self._encode(embed_request(body, self.limits))
        return {"model": name, "embeddings": [vector.tolist() for vector in vectors]}

    async def openai_embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        """``POST /v1/embeddings``: the same in the shape of OpenAI's."""
        asked = openai_request(body, self.limits)
        name, vectors, tokens = await self._encode(asked)
        return {
            "object": "list",
            "model": name,
            "data": [
                {
                    "object": "embedding",
                    "index": index,
                    "embedding": _base64(vector) if asked.base64 else vector.tolist(),
                }
                for index, vector in enumerate(vectors)
            ],
            "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
        }

    async def _encode(self, asked: EmbedRequest) -> tuple[str, list[Any], int]:
        """The name of the encoder, a vector (dim,) a sentence, and the number of tokens."""
        name, encoder = self.models.encoder(asked.model, asked.language)
        vectors = await _ask(self.encoding, encoder.encode, list(asked.sentences))
        tokens = sum(len(encoder.tokenizer.ids(sentence)) for sentence in asked.sentences)
        return name, vectors, tokens

    def health(self, _: Request) -> Response:
        """``GET /health``: that the server answers, with what, and within which limits."""
        limits = {"pairs": self.limits.pairs, "characters": self.limits.characters}
        limits["bytes"] = self.limits.body
        answer = {"status": "ok", **self.models.description, "limits": limits}
        return JSONResponse(answer, headers=HEADERS)


async def _ask(queue: BatchQueue, work: Work, items: list[Any]) -> list[Any]:
    """The results of a queue; a :class:`RequestError` if too many requests wait."""
    if not items:
        return []
    try:
        return await asyncio.wrap_future(queue.submit(work, items))
    except QueueFullError:
        raise RequestError(
            503, "too many requests wait; try again", {"retry-after": str(RETRY_AFTER)}
        ) from None


def _base64(vector: Any) -> str:
    return base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode("ascii")


def build_application(
    models: ServedModels, access: Access | None = None, limits: Limits | None = None
) -> Starlette:
    """The ASGI application.

    Args:
        models: what it answers with.
        access: who may ask; by default programs of this machine.
        limits: what it takes.
    """
    limits = limits or Limits()
    service = Service(models, limits)

    async def answer(request: Request, of: Answer) -> Response:
        body = read_json(await read_body(request, limits))
        return JSONResponse(await of(body), headers=HEADERS)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        try:
            yield
        finally:
            service.close()

    posts: dict[str, Answer] = {
        "/score": service.score,
        "/explain": service.explain,
        "/embed": service.embed,
        "/v1/embeddings": service.openai_embeddings,
    }
    return Starlette(
        routes=[
            Route("/", _page),
            Route("/health", service.health),
            Route("/openapi.json", _description),
            *(Route(path, partial(answer, of=of), methods=["POST"]) for path, of in posts.items()),
        ],
        middleware=[Middleware(Guard, access=access or Access())],
        exception_handlers={HTTPException: _http_error},
        lifespan=lifespan,
    )


async def _page(_: Request) -> Response:
    page = build_page()
    headers = HEADERS | {"content-security-policy": page.policy}
    return HTMLResponse(page.html, headers=headers)


async def _description(_: Request) -> Response:
    return JSONResponse(api_description(), headers=HEADERS)


@cache
def api_description() -> dict[str, Any]:
    """The API as OpenAPI 3.1 describes it."""
    found: dict[str, Any] = json.loads(
        (Path(__file__).parent / "web" / "openapi.json").read_text(encoding="utf-8")
    )
    return found


def _http_error(request: Request, error: Exception) -> Response:
    """What Starlette itself refuses: a path that is not there, another method."""
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        message = f"{request.url.path} is not asked by {request.method}; see /openapi.json"
    else:
        message = f"there is nothing at {request.url.path[:80]!r}; see /openapi.json"
    return error_response(RequestError(error.status_code, message, error.headers))
