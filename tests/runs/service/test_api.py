"""The JSON API: what it answers, what it refuses, and how."""

from __future__ import annotations

import base64
import re
import sys
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder
from semaniacs.features.registry import all_features
from semaniacs.features.word_matches import MatchedSide, match_words
from semaniacs.runs.scorer import load
from semaniacs.runs.service.served_models import LEGEND, ServedModels
from semaniacs.sts.errors import StsError
from semaniacs.sts.text.tokenizer import words
from tests.runs.service.conftest import asking

DOG, DOGS, STOCKS = "A dog runs.", "A dog is running.", "Stocks fell on Friday."
JSON = {"content-type": "application/json"}
SECRET = "Zyzzyva knows the launch code."


def refused(response: Any, status: int, *said: str) -> None:
    """An error as JSON, one sentence without a traceback."""
    assert response.status_code == status, response.text
    error = response.json()
    assert list(error) == ["error"] and list(error["error"]) == ["message"]
    message = error["error"]["message"]
    assert "\n" not in message and "Traceback" not in message
    for part in said:
        assert part in message


# Scores


@pytest.mark.parametrize("model", ["fusion", "raw"])
def test_scores_are_those_of_the_library(client: TestClient, model: str) -> None:
    pairs = [[DOG, DOGS], [DOG, STOCKS], [DOGS, DOG]]
    expected = load(model).score(*zip(*pairs, strict=True)).tolist()
    answer = client.post("/score", json={"pairs": pairs, "model": model})
    assert answer.json() == {"model": model, "scores": expected, "warning": None}
    left, right = zip(*pairs, strict=True)
    as_lists = client.post("/score", json={"left": left, "right": right, "model": model})
    assert as_lists.json() == answer.json()
    asked = {"pairs": [[DOG, DOGS, ""], ["dog", "A dog runs.", "What runs?"]], "model": model}
    scores = client.post("/score", json=asked).json()["scores"]
    assert scores == [expected[0], pytest.approx(5)]


def test_a_blank_sentence(client: TestClient) -> None:
    body = {"pairs": [["None", "None"], [DOG, " "], ["", DOG]], "model": "raw"}
    refused(client.post("/score", json=body), 422, "right sentence of pair 1 is blank")
    scores = client.post("/score", json=body | {"empty": "null"}).json()["scores"]
    assert scores == [pytest.approx(5.0), None, None]
    zeros = client.post("/score", json=body | {"empty": "zero"}).json()["scores"]
    assert zeros[1:] == [0.0, 0.0]


def test_another_script_is_told_to_who_asked_and_to_no_log(
    client: TestClient, capfd: pytest.CaptureFixture[str]
) -> None:
    russian = "Собака бежит."
    body = {"pairs": [[russian, DOG], [DOGS, DOG]], "model": "raw"}
    warning = client.post("/score", json=body).json()["warning"]
    assert warning.startswith("1 of 4 sentences is not in Latin script")
    for model in ("raw", "fusion"):
        pair = {"left": russian, "right": DOG, "model": model}
        assert "knows English alone" in client.post("/explain", json=pair).json()["warning"]
    assert capfd.readouterr() == ("", "")


# Explanations


def test_an_explanation_adds_up_and_is_that_of_the_library(client: TestClient) -> None:
    found = client.post("/explain", json={"left": DOG, "right": DOGS}).json()
    explained = load("fusion").explain(DOG, DOGS)
    assert found["score"] == explained.score
    total = found["base"] + sum(part["contribution"] for part in found["contributions"])
    assert total == pytest.approx(found["score"])
    first = found["contributions"][0]
    assert first["feature"] == explained.contributions[0].feature
    assert {part["group"] for part in found["contributions"]} == set(found["groups"])
    pair = {"left": "He can swim.", "right": "He cannot swim."}
    found = client.post("/explain", json=pair).json()
    assert found["differences"] == [*load("fusion").explain(**pair).differences]
    (words,) = found["decisive_words"]
    assert words == {"left": "can", "right": "cannot", "score": 5.0}
    assert client.post("/explain", json=pair | {"model": "raw"}).json()["decisive_words"] == []


# Vectors


def test_vectors_are_those_of_the_library(client: TestClient) -> None:
    found = client.post("/embed", json={"sentences": [DOG, ""]}).json()
    expected = loading.load().encode([DOG, ""])
    assert found["model"] == "paragram"
    np.testing.assert_array_equal(np.array(found["embeddings"], np.float32), expected)
    assert client.post("/embed", json={"sentences": []}).json()["embeddings"] == []


def test_the_shape_of_openai(client: TestClient) -> None:
    vector = loading.load().encode([DOG], normalize=True)[0]
    found = client.post("/v1/embeddings", json={"input": DOG, "model": "paragram"}).json()
    assert found["object"] == "list" and found["model"] == "paragram"
    assert found["usage"] == {"prompt_tokens": 3, "total_tokens": 3}
    (data,) = found["data"]
    assert (data["object"], data["index"]) == ("embedding", 0)
    np.testing.assert_array_equal(np.array(data["embedding"], np.float32), vector)
    body = {"input": [DOGS, DOG], "encoding_format": "base64", "user": "me"}
    coded = client.post("/v1/embeddings", json=body).json()["data"][1]
    assert coded["index"] == 1
    np.testing.assert_array_equal(
        np.frombuffer(base64.b64decode(coded["embedding"]), "<f4"), vector
    )


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("embeddings", {"input": [1, 2]}, 400, "send strings"),
        ("embeddings", {"input": [[1, 2], [3]]}, 400, "send strings"),
        ("embeddings", {"input": [DOG, 3.5]}, 400, "'body.input.1': Input should"),
        ("embeddings", {"input": []}, 400, "at least 1 item"),
        ("embeddings", {"input": [DOG, " "]}, 400, "is blank; expected a sentence"),
        ("embeddings", {"input": DOG, "encoding_format": "int8"}, 400, "base64"),
        ("embeddings", {"input": DOG, "dimensions": 257}, 400, "dimensions=257; expected 1 to 256"),
        ("embeddings", {"input": [DOG] * 2049}, 400, "2048 items"),
        ("embeddings", {"input": DOG, "model": "ada"}, 404, "unknown encoder 'ada'; choose one of"),
        ("rerank", {"query": " ", "documents": [DOG]}, 400, "'body.query': it is blank"),
        ("rerank", {"query": DOG, "documents": [DOG, "a\0b"]}, 400, "should match"),
        ("rerank", {"query": DOG, "documents": []}, 400, "at least 1 item"),
        ("rerank", {"query": DOG, "documents": [{"title": DOG}]}, 400, "valid string"),
        ("rerank", {"query": DOG, "documents": [DOG], "model": "ada"}, 404, "unknown model 'ada'"),
    ],
)
def test_a_client_of_openai_or_cohere_is_refused_as_there(
    client: TestClient, path: str, body: dict[str, Any], status: int, said: str
) -> None:
    refused(client.post(f"/v1/{path}", json=body), status, said)


@pytest.mark.parametrize("model", ["paragram", "bitext-sp", "multilingual", "gte"])
def test_dimensions_are_the_first_ones_at_length_one(model: str) -> None:
    encoder = loading.load(model)
    expected = encoder.encode([DOG, STOCKS], truncate_dim=8, normalize=True)
    with asking(ServedModels(("raw",), (model,), (f"ada={model}",))) as client:
        body = {"input": [DOG, STOCKS], "dimensions": 8, "model": "ada"}
        found = client.post("/v1/embeddings", json=body).json()
        listed = client.get("/v1/models").json()["data"]
    vectors = np.array([one["embedding"] for one in found["data"]], np.float32)
    np.testing.assert_array_equal(vectors, expected)
    assert found["model"] == model and found["usage"]["total_tokens"] > 5
    assert [one["id"] for one in listed] == [model, "raw", "ada"]


def test_documents_are_ranked_by_their_score(client: TestClient) -> None:
    documents = [STOCKS, DOGS, DOG, " "]  # a blank one scores 0
    given = [STOCKS, {"text": DOGS}, *documents[2:]]
    body: dict[str, Any] = {"model": "fusion", "query": DOG, "documents": given}
    scores = [*(load("fusion").score(DOG, documents[:3]) / 5).tolist(), 0.0]
    ranked = [{"index": row, "relevance_score": scores[row]} for row in (2, 1, 0, 3)]
    found = client.post("/v1/rerank", json=body).json()
    assert found == {"object": "list", "model": "fusion", "results": ranked}
    body |= {"top_n": 1, "return_documents": True}
    best = client.post("/v1/rerank", json=body).json()["results"]
    assert best == [ranked[0] | {"document": {"text": DOG}}]


@pytest.mark.parametrize("alias", ["ada", "ada=", "=raw", "ada=gte", "raw=paragram"])
def test_an_alias_of_nothing(alias: str) -> None:
    with pytest.raises(StsError, match="--alias .*: expected a new name, = and one of paragram"):
        ServedModels(("raw",), ("paragram",), (alias,))


def test_requests_are_counted_for_prometheus(
    models: ServedModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser = pytest.importorskip("prometheus_client.parser")
    with asking(models) as client:
        for text in (DOG, DOG, ""):
            client.post("/v1/embeddings", json={"input": text})
        client.get(f"/{SECRET}")
        answer = client.get("/metrics")
    family, *_ = parser.text_string_to_metric_families(answer.text)
    counts = [one for one in family.samples if one.name == "semaniacs_request_seconds_count"]
    assert {(*one.labels.values(), one.value) for one in counts} == {
        ("/v1/embeddings", "200", 2), ("/v1/embeddings", "400", 1), ("other", "404", 1)
    }  # fmt: skip
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with asking(models) as client:
        refused(client.get("/metrics"), 404, "pip install 'semaniacs[metrics]'")


# Errors


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"{", 400, "not JSON: Expecting property name enclosed in double quotes at character 1"),
        (b"[" * 100_000, 400, "deep"),
        (b"{}", 422, 'either "pairs", or "left" and "right"'),
        (b'{"pairs": [["a", "b", "c", "d"]]}', 422, "at most 3 items"),
        (b'{"pairs": [["a", 3]]}', 422, "'body.pairs.0.1': Input should be a valid string"),
        (b'{"pairs": [], "models": "raw"}', 422, "'body.models': Extra inputs are not permitted"),
        (b'{"pairs": [], "model": "nope"}', 422, "unknown model 'nope'; choose one of: fusion"),
        (b'{"pairs": [["a", "\\ud83d"]]}', 422, "unicode"),
        (b'{"pairs": [["a", "b\\u0000c"]]}', 422, "should match"),
    ],
)
def test_a_body_that_is_not_as_it_must_be(
    client: TestClient, body: bytes, status: int, said: str
) -> None:
    refused(client.post("/score", content=body, headers=JSON), status, said)


def test_paths_methods_and_types(client: TestClient) -> None:
    refused(client.get("/nothing"), 404, "/nothing")
    refused(client.get("/score"), 405, "/score", "GET")
    refused(client.post("/score", data={"pairs": "a"}), 415, "application/json")
    refused(client.post("/score", content=b'{"pairs": []}'), 415)


def test_limits(client: TestClient) -> None:
    longest = {"pairs": [["a" * 8000, "b"]], "model": "raw"}
    assert client.post("/score", json=longest).status_code == 200
    pairs = [["a", "b"]] * 1001
    refused(
        client.post("/score", json={"pairs": pairs}), 422, "'body.pairs'", "1000 items", "not 1001"
    )
    refused(
        client.post("/score", json={"pairs": [["a" * 8001, "b"]]}), 422, "'body.pairs.0.0'", "8000"
    )
    refused(client.post("/explain", json={"left": "a", "right": "b" * 8001}), 422, "8000")
    refused(client.post("/embed", json={"sentences": ["a"] * 2049}), 422, "2048 items")
    large = b" " * 1_000_001
    refused(client.post("/score", content=large, headers=JSON), 413, "1,000,000 bytes")
    refused(client.post("/score", content=iter([large[:600_000]] * 2), headers=JSON), 413)
    limits = {"pairs": 1000, "characters": 8000, "bytes": 1_000_000}
    assert client.get("/health").json()["limits"] == limits


class Fake(ServedModels):
    """Scores with a given function."""

    def __init__(self, models: ServedModels, function: Callable[[], float]) -> None:
        self.scorers, self.encoders, self.aliases = models.scorers, models.encoders, {}
        self.calibrations = {}
        self.function = function

    def score(self, model: str | None, left: Any, right: Any, languages: Any = None) -> Any:
        return {"model": "fake", "scores": [self.function() for _ in left], "warning": None}


def test_too_many_requests_are_told_to_come_back(models: ServedModels) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> float:
        begun.set()
        go_on.wait(30)
        return 1.0

    body = {"pairs": [[DOG, DOGS]]}
    with asking(Fake(models, slow), most_waiting=1) as client, ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(client.post, "/score", json=body)]
        assert begun.wait(30)
        asked += [pool.submit(client.post, "/score", json=body) for _ in range(2)]
        (busy,), others = wait(asked, return_when=FIRST_COMPLETED)
        refused(busy.result(), 503, "try again")
        assert busy.result().headers["retry-after"] == "1"
        assert client.post("/embed", json={"sentences": [DOG]}).status_code == 200
        go_on.set()
        assert [other.result().json()["scores"] for other in others] == [[1.0], [1.0]]


def test_an_unforeseen_error_says_nothing_of_the_sentences(
    models: ServedModels, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail() -> float:
        raise ValueError(f"cannot score {SECRET}")

    with asking(Fake(models, fail)) as client:
        answer = client.post("/score", json={"pairs": [[SECRET, DOG]]})
        refused(answer, 500, "the server failed")
        assert client.get("/health").status_code == 200
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("\n") == 1 and "ValueError at test_api.py:" in err
    assert "Zyzzyva" not in answer.text + err


# Pages


def test_every_answer_is_private(client: TestClient) -> None:
    for path in ("/", "/health", "/docs", "/openapi.json", "/nothing"):
        answer = client.get(path)
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers


def test_every_example_of_the_description_is_answered(client: TestClient) -> None:
    described = client.get("/openapi.json").json()
    schemas = described["components"]["schemas"]
    posts = {path: found["post"] for path, found in described["paths"].items() if "post" in found}
    known = {"/score", "/explain", "/embed", "/v1/embeddings", "/v1/rerank", "/table"}
    assert set(posts) == known
    for path, post in posts.items():
        reference = post["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        keys = schemas[reference.rpartition("/")[2]]["properties"]
        body = {key: about["examples"][0] for key, about in keys.items() if "examples" in about}
        assert client.post(path, json=body).status_code == 200
        assert {"400", "401", "403", "408", "413", "415", "422", "503"} < set(post["responses"])


def test_the_documentation_needs_no_other_host(client: TestClient) -> None:
    page = client.get("/docs")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    files = re.findall(r"""(?:src|href)=["']([^"']+)""", page.text)
    assert len(files) == 3
    for file in files:
        assert file.startswith("/static-offline-docs/")
        assert client.get(file).status_code == 200
    assert "//" not in page.text.replace("// ", "")


def test_the_page_needs_no_other_host(client: TestClient) -> None:
    page = client.get("/")
    assert "{{" not in page.text
    assert re.findall(r"(?:https?:)?//[\w.]+\.\w+/", page.text) == []
    assert not re.search(r"\bstyle=|\bon\w+=|innerHTML|eval\(", page.text)
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy


# Which word each word is nearest to, and aligned with


def by_word(side: MatchedSide) -> dict[str, tuple[str | None, str | None]]:
    return {word.word: (word.best, word.aligned) for word in side.words}


def test_the_best_match_is_the_nearest_vector() -> None:
    left, right = "A dog runs home.", "Cats were running to the house."
    bundled = loading.load()
    encoder = Encoder(bundled.tokenizer, bundled.rows)  # words alone are not cut
    cosines = encoder.similarity(words(left), words(right))
    found = match_words(left, right)["left"].words
    assert [word.best for word in found] == [
        words(right)[place].replace("cats", "Cats") for place in cosines.argmax(axis=1)
    ]
    np.testing.assert_allclose([word.similarity for word in found], cosines.max(axis=1), atol=1e-6)


def test_words_are_aligned_one_to_one() -> None:
    sides = match_words("The dog runs in the park.", "A dog is running through the park.")
    left = by_word(sides["left"])
    assert left["dog"] == ("dog", "dog")
    assert left["runs"] == ("running", "running")
    assert left["park"] == ("park", "park")
    back = {word.aligned: word.word for word in sides["right"].words if word.aligned}
    assert back == {w.word: w.aligned for w in sides["left"].words if w.aligned}


def test_every_group_of_features_is_explained() -> None:
    assert {feature.group for feature in all_features()} | {"rule"} == set(LEGEND)
