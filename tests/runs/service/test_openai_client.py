"""OpenAI's own client against ``semaniacs serve``."""

from __future__ import annotations

import numpy as np
import pytest

from semaniacs.embeddings import loading
from tests.runs.service.conftest import running

openai = pytest.importorskip("openai", reason="pip install -r requirements-peers.txt")


def test_the_client_of_openai() -> None:
    name, texts = "text-embedding-3-small", ["A dog runs.", "Stocks fell on Friday."]
    with (
        running("--model", "raw", "--alias", f"{name}=paragram") as server,
        openai.OpenAI(base_url=f"{server.url}/v1", api_key="any", max_retries=0) as client,
    ):
        for options in ({"encoding_format": "float"}, {"dimensions": 64}):  # or base64
            found = client.embeddings.create(model=name, input=texts, **options).data
            vectors = np.array([one.embedding for one in found], np.float32)
            dim = options.get("dimensions")
            expected = loading.load().encode(texts, normalize=True, truncate_dim=dim)
            np.testing.assert_array_equal(vectors, expected)
        assert [one.id for one in client.models.list()] == ["paragram", "raw", name]
        with pytest.raises(openai.NotFoundError, match="unknown encoder 'ada'"):
            client.embeddings.create(model="ada", input=texts)
        with pytest.raises(openai.BadRequestError, match="send strings"):
            client.embeddings.create(model=name, input=[[1, 2], [3]])
