"""The description of the API is true: its examples are taken, and answers are as it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from runs.service.application import api_description

jsonschema = pytest.importorskip("jsonschema")

JSON = "application/json"
Body = dict[str, Any]


def examples() -> Iterator[tuple[str, Body]]:
    """Every schema with an example, and where it stands."""

    def walk(node: Any, place: str) -> Iterator[tuple[str, Body]]:
        if isinstance(node, dict):
            if "example" in node and "schema" in node:
                yield place, node
            for key, value in node.items():
                yield from walk(value, f"{place} {key}")

    yield from walk(api_description(), "")


EXAMPLES = dict(examples())


def check(value: Any, schema: Any) -> None:
    """Validate, with the references of the description."""
    whole = {"components": api_description()["components"], **schema}
    jsonschema.Draft202012Validator(whole).validate(value)


@pytest.mark.parametrize("place", EXAMPLES)
def test_every_example_is_as_its_schema_says(place: str) -> None:
    check(EXAMPLES[place]["example"], EXAMPLES[place]["schema"])


@pytest.mark.parametrize("path", [p for p, m in api_description()["paths"].items() if "post" in m])
def test_every_request_is_answered_as_described(client: TestClient, path: str) -> None:
    described = api_description()["paths"][path]["post"]
    answer = client.post(path, json=described["requestBody"]["content"][JSON]["example"])
    assert answer.status_code == 200, answer.text
    check(answer.json(), described["responses"]["200"]["content"][JSON]["schema"])
    refused = client.post(path, json={"nothing": 1})
    assert str(refused.status_code) in described["responses"]
    error = api_description()["components"]["responses"]["Error"]["content"][JSON]
    check(refused.json(), error["schema"])


def test_health_is_as_described(client: TestClient) -> None:
    described = api_description()["paths"]["/health"]["get"]["responses"]["200"]["content"][JSON]
    check(client.get("/health").json(), described["schema"])
    assert client.get("/openapi.json").json() == api_description()


def test_every_route_is_described(client: TestClient) -> None:
    routes = {route.path for route in client.app.routes}  # type: ignore[attr-defined]
    assert routes - {"/", "/openapi.json"} == set(api_description()["paths"])


def test_a_wrong_answer_would_be_seen() -> None:
    place = next(place for place in EXAMPLES if "/score" in place and "200" in place)
    with pytest.raises(jsonschema.ValidationError):
        check({"model": "raw", "scores": [7]}, EXAMPLES[place]["schema"])
