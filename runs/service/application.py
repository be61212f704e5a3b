"""The web application: routes of the JSON API, the web page and ``/docs``."""

from __future__ import annotations

import asyncio
import base64
import math
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import numpy as np
from fastapi import APIRouter, FastAPI, HTTPException, Request, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.security import HTTPBearer
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException as AnyHTTPException

from runs.service import bodies
from runs.service.guards import SECONDS, Access, Guard, error_response
from runs.service.served_models import ServedModels
from runs.service.web_page import build_page
from sts.errors import StsError

MOST_WAITING = 128
ABOUT = 'Similarity in meaning, from 0 to 5. Errors are {"error": {"message": "one sentence"}}.'
ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": bodies.ErrorAnswer} for status in (400, 401, 403, 408, 413, 415, 422, 503)
}

T = TypeVar("T")


class Worker:
    """One thread that answers requests in the order of their arrival.

    Models are not called by two threads at once: regressors set the number of BLAS threads of the
    whole process while they work.
    """

    def __init__(self, most_waiting: int) -> None:
        self.pool = ThreadPoolExecutor(1)
        self.free = most_waiting + 1

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call the function in the thread; answer 503 if too many requests are waiting."""
        if self.free == 0:
            raise HTTPException(
                503, "too many requests are waiting; try again", {"retry-after": "1"}
            )
        self.free -= 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self.pool, function, *arguments)
        finally:
            self.free += 1


def build_application(
    models: ServedModels,
    access: Access | None = None,
    *,
    most_waiting: int = MOST_WAITING,
    seconds: float = SECONDS,
) -> FastAPI:
    """Build the ASGI application.

    Args:
        models: scorers and encoders.
        access: rules for who may send requests; default: programs on this machine.
        most_waiting: requests of one kind that may wait; further ones get 503.
        seconds: time in which the body of a request must arrive.
    """
    scoring, encoding = Worker(most_waiting), Worker(most_waiting)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        scoring.pool.shutdown()
        encoding.pool.shutdown()

    app = FastAPIOffline(
        title="semaniacs", description=ABOUT, version="1", redoc_url=None, lifespan=lifespan
    )
    app.add_middleware(Guard, access=access or Access(), seconds=seconds)
    app.add_exception_handler(AnyHTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(StsError, _refused)
    work = APIRouter(responses=ERRORS, dependencies=[Security(HTTPBearer(auto_error=False))])

    @app.get("/", include_in_schema=False)
    async def page() -> HTMLResponse:
        html, policy = build_page()
        return HTMLResponse(html, headers={"content-security-policy": policy})

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Models, encoders and limits of this server."""
        limits = {
            "pairs": bodies.MOST_PAIRS,
            "characters": bodies.MOST_CHARACTERS,
            "bytes": bodies.MOST_BYTES,
        }
        return {"status": "ok", **models.describe(), "limits": limits}

    @work.post("/score")
    async def score(body: bodies.ScoreRequest) -> bodies.ScoreAnswer:
        """Score pairs of sentences."""
        codes = None if body.languages is None else (body.languages[0], body.languages[1])
        found = await scoring.run(models.score, body.model, *body.sides, codes)
        blank = 0.0 if body.empty == "zero" else None
        scores = [blank if math.isnan(score) else score for score in found["scores"]]
        return bodies.ScoreAnswer(**found | {"scores": scores})

    @work.post("/explain")
    async def explain(body: bodies.ExplainRequest) -> bodies.Explanation:
        """Score one pair and say which features and words the score is made of."""
        found = await scoring.run(models.explain, body.model, body.left, body.right)
        return bodies.Explanation(**found)

    @work.post("/embed")
    async def embed(body: bodies.EmbedRequest) -> bodies.EmbedAnswer:
        """Encode sentences."""
        name, vectors, _ = await encoding.run(
            models.embed, body.model, body.language, body.sentences
        )
        return bodies.EmbedAnswer(model=name, embeddings=vectors.tolist())

    @work.post("/v1/embeddings")
    async def openai_embeddings(body: bodies.OpenAIRequest) -> dict[str, Any]:
        """Encode sentences; request and answer have the shape of OpenAI's API."""
        sentences = [body.input] if isinstance(body.input, str) else body.input
        name, vectors, tokens = await encoding.run(models.embed, body.model, None, sentences)
        found = map(_base64, vectors) if body.encoding_format == "base64" else vectors.tolist()
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(found)
        ]
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "model": name, "data": data, "usage": usage}

    app.include_router(work)
    return app


def _base64(vector: Any) -> str:
    return base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode("ascii")


def _http_error(request: Request, error: Exception) -> JSONResponse:
    """Say which path or method is unknown; pass on the message of other errors."""
    assert isinstance(error, AnyHTTPException)
    status, message = error.status_code, error.detail
    if status == 400:
        message = "the body is not JSON in UTF-8, or it is nested too deeply"
    elif status == 404:
        message = f"there is nothing at {request.url.path[:80]!r}; see /docs"
    elif status == 405:
        message = f"{request.url.path} does not take {request.method}; see /docs"
    return error_response(HTTPException(status, message, error.headers))


def _invalid(_: Request, error: Exception) -> JSONResponse:
    """Say in one sentence what is wrong with a body, without repeating it."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        reason = f"{first['ctx']['error']} at character {first['loc'][-1]}"
        return error_response(HTTPException(400, f"the body is not JSON: {reason}"))
    if first["type"] == "value_error":
        message = first["msg"].removeprefix("Value error, ")
    else:
        where = ".".join(str(part)[:40] for part in first["loc"])
        message = f"{where!r}: {first['msg']}"
    return error_response(HTTPException(422, message))


def _refused(_: Request, error: Exception) -> JSONResponse:
    """Pass on the message of a library error, such as an unknown language."""
    return error_response(HTTPException(422, str(error)))
