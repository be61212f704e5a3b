"""The web application: routes of the JSON API, the web page and ``/docs``."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import math
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import cache, partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from fastapi import APIRouter, FastAPI, HTTPException, Request, Response, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse
from fastapi.security import HTTPBearer
from fastapi_offline import FastAPIOffline
from starlette.exceptions import HTTPException as AnyHTTPException

from semaniacs.runs.service import bodies
from semaniacs.runs.service.guards import SECONDS, Access, Guard, error_response
from semaniacs.runs.service.served_models import ServedModels
from semaniacs.runs.service.table_files import read_table
from semaniacs.sts.data.pairs import HIGHEST
from semaniacs.sts.errors import StsError, UnknownNameError, how_to_install

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
    """Build the ASGI application; without ``access``, programs on this machine may use it.

    At most ``most_waiting`` requests of a kind wait, the next gets 503. The body of a request must
    arrive in ``seconds``.
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
    timer, show_metrics = start_metrics()
    app.add_middleware(Guard, access=access or Access(), seconds=seconds, timer=timer)
    for kind in (AnyHTTPException, RequestValidationError, StsError):
        app.add_exception_handler(kind, _describe)
    work = APIRouter(responses=ERRORS, dependencies=[Security(HTTPBearer(auto_error=False))])

    @app.get("/", include_in_schema=False)
    async def page() -> HTMLResponse:
        html, policy = build_page()
        return HTMLResponse(html, headers={"content-security-policy": policy})

    @app.get("/health")
    async def health() -> dict[str, Any]:
        """Models, encoders and limits of this server."""
        return {"status": "ok", **models.describe(), "limits": bodies.LIMITS}

    @work.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> Response:
        """Numbers of requests and their durations, in the format of Prometheus."""
        return show_metrics()

    @work.post("/score", response_model_exclude_unset=True)
    async def score(body: bodies.ScoreRequest) -> bodies.ScoreAnswer:
        """Score pairs of sentences."""
        codes = None if body.languages is None else (body.languages[0], body.languages[1])
        found = await scoring.run(models.score, body.model, *body.read, codes)
        found |= await scoring.run(models.beside, found, body)
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

    @work.get("/v1/models")
    async def list_models() -> dict[str, Any]:
        """Names of the encoders, the models and their aliases, in the format of OpenAI's API."""
        names = dict.fromkeys([*models.encoders, *models.scorers, *models.aliases])
        about = {"object": "model", "created": 0, "owned_by": "semaniacs"}
        return {"object": "list", "data": [{"id": name, **about} for name in names]}

    @work.post("/v1/embeddings")
    async def openai_embeddings(body: bodies.OpenAIRequest) -> dict[str, Any]:
        """Encode sentences as vectors of length 1, in the format of OpenAI's API."""
        sentences = [body.input] if isinstance(body.input, str) else body.input
        embed = partial(models.embed, normalize=True, truncate_dim=body.dimensions)
        name, vectors, tokens = await encoding.run(embed, body.model, None, sentences)
        found = map(_base64, vectors) if body.encoding_format == "base64" else vectors.tolist()
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(found)
        ]
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return {"object": "list", "model": name, "data": data, "usage": usage}

    @work.post("/v1/rerank")
    async def rerank(body: bodies.RerankRequest) -> dict[str, Any]:
        """Rank documents by their score with a query, in the format of Cohere's and Jina's APIs."""
        pairs = [body.query] * len(body.documents), body.documents
        found = await scoring.run(models.score, body.model, *pairs)
        results: list[dict[str, Any]] = [
            {"index": row, "relevance_score": score / HIGHEST}
            | ({"document": {"text": body.documents[row]}} if body.return_documents else {})
            for row, score in enumerate(np.nan_to_num(found["scores"]).tolist())
        ]
        results.sort(key=lambda result: -result["relevance_score"])
        return {"object": "list", "model": found["model"], "results": results[: body.top_n]}

    @work.post("/table", description="Read a file as `semaniacs score` does; guess its columns.")
    async def table(body: bodies.Table) -> dict[str, Any]:
        return await encoding.run(read_table, body)

    app.include_router(work)
    return app


def start_metrics() -> tuple[Any, Callable[[], Response]]:
    """Return a histogram, or None without its library, and a function that answers with it."""
    if find_spec("prometheus_client") is None:
        advice = f"metrics need a library: {how_to_install('prometheus_client')}"
        return None, lambda: error_response(HTTPException(404, advice))
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Histogram, generate_latest

    registry, labels = CollectorRegistry(), ("path", "status")
    timer = Histogram("semaniacs_request_seconds", "Time to answer.", labels, registry=registry)
    return timer, lambda: Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


def _base64(vector: Any) -> str:
    return base64.b64encode(np.asarray(vector, "<f4").tobytes()).decode("ascii")


async def _describe(request: Request, error: Exception) -> JSONResponse:
    """Describe in one sentence why a request is refused, without repeating its body."""
    status, message, headers = 422, str(error), None
    path = request.url.path[:80]
    if isinstance(error, AnyHTTPException):
        known = {
            400: "the body is not JSON in UTF-8, or it is nested too deeply",
            404: f"there is nothing at {path!r}; see /docs",
            405: f"{path} does not take {request.method}; see /docs",
        }
        status, headers = error.status_code, error.headers
        message = known.get(status, error.detail)
    elif isinstance(error, RequestValidationError):
        # A value that may be of two kinds has an error for each: the other kind says less.
        first = min(error.errors(), key=lambda e: (e["type"].endswith("_type"), -len(e["loc"])))
        places = (str(part)[:40] for part in first["loc"])
        where = ".".join(part for part in places if not {"[", "-"} & {*part})  # no names of kinds
        message = f"{where!r}: {first['msg']}"
        if first["type"] == "json_invalid":
            reason = f"{first['ctx']['error']} at character {first['loc'][-1]}"
            status, message = 400, f"the body is not JSON: {reason}"
        elif first["type"] == "value_error":
            message = first["msg"].removeprefix("Value error, ")
            message = message if where == "body" else f"{where!r}: {message}"
    if status == 422 and path.startswith("/v1/"):  # as clients of these APIs expect
        status = 404 if isinstance(error, UnknownNameError) else 400
        message = message.replace("truncate_dim", "dimensions")
        message += ", or start it with --alias NAME=MODEL" if status == 404 else ""
    return error_response(HTTPException(status, message, headers))


@cache
def build_page() -> tuple[str, str]:
    """Return the page, which loads nothing from elsewhere, and the policy that enforces that."""
    web = Path(__file__).parent / "web"
    parts = {
        "style": (web.parents[1] / "report/templates/style.css").read_text(encoding="utf-8"),
        "script": "".join(
            (web / name).read_text(encoding="utf-8")
            for name in ("charts.js", "page.js", "tables.js")
        ),
    }
    html = (web / "page.html").read_text(encoding="utf-8")
    policy = (
        "default-src 'none'; connect-src 'self'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )
    for name, text in parts.items():
        html = html.replace(f"{{{{{name}}}}}", text)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
        policy += f"; {name}-src 'sha256-{digest}'"
    return html, policy
