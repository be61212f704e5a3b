"""Semantic search against brute force, faiss and sentence-transformers."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import faiss
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.embeddings.encoder import Encoder, unit
from semaniacs.embeddings.formats.folder import save_by_name
from semaniacs.embeddings.loading import load_static
from semaniacs.embeddings.mining.neighbours import Ivf
from semaniacs.embeddings.search import SearchIndex, search
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import StsError

WORDS = [f"w{i}" for i in range(60)]
ENCODER = Encoder(
    WordTokenizer(WORDS, buckets=4),
    np.random.default_rng(0).standard_normal((64, 24)).astype(np.float32),
)


def sentences_of(count: int) -> list[str]:
    """Random sentences; one in six is blank or a copy."""
    rng = np.random.default_rng(0)
    made: list[str] = []
    for number in range(count):
        words = " ".join(rng.choice(WORDS, rng.integers(1, 9)))
        repeated = made[rng.integers(len(made))] if number % 6 == 5 else words
        made.append("  " if number % 12 == 11 else repeated)
    return made


SENTENCES = sentences_of(300)
QUERIES = ["w3 w7 w9", "w1", "", "w40 w41 w42 w43", "zorb"]


def brute_force(query: str, sentences: list[str]) -> list[tuple[str, float]]:
    distinct = list(dict.fromkeys(s for s in sentences if s.strip()))
    vectors = unit(ENCODER.encode(distinct).astype(np.float64))
    cosines = vectors @ unit(ENCODER.encode([query]).astype(np.float64))[0]
    order = np.argsort(-cosines, kind="stable")
    return [(distinct[i], cosines[i]) for i in order]


@given(
    st.lists(st.sampled_from([*WORDS[:5], "w1 w2", "w2 w1", "", " ", "😀 w1"])), st.integers(1, 9)
)
def test_any_sentences_are_found_with_all_their_copies(sentences: list[str], k: int) -> None:
    index = SearchIndex.build(sentences, ENCODER)
    hits, nothing = index.query(["w1 w3", ""], k=k)
    assert (index.query("w1 w3", k=k), nothing) == (hits, [])
    expected = brute_force("w1 w3", sentences) if sentences else []
    scores = [score for _, score in expected[:k]]
    np.testing.assert_allclose([hit.score for hit in hits], scores, atol=1e-6)
    for hit in hits:
        places = [i for i, text in enumerate(sentences) if text == hit.text]
        assert (hit.id, hit.corpus_id) == (places[0] + 1, places[0])
        assert hit.copies == tuple(place + 1 for place in places[1:])
    each = index.query("w1 w3", k=k, copies=True)
    with_copies = [text for text, _ in expected for _ in range(sentences.count(text))]
    assert sorted(hit.score for hit in each) == pytest.approx(
        sorted(dict(expected)[text] for text in with_copies[:k]), abs=1e-6
    )
    assert len({hit.id for hit in each}) == len(each)


def test_hits_are_those_of_faiss_and_of_sentence_transformers() -> None:
    util = pytest.importorskip("sentence_transformers.util")
    rng = np.random.default_rng(1)
    corpus, queries = (rng.standard_normal((n, 24)).astype(np.float32) for n in (500, 9))
    flat = faiss.IndexFlatIP(24)
    flat.add(unit(corpus))
    scores, places = flat.search(unit(queries), 6)
    theirs = util.semantic_search(queries, corpus, top_k=6)
    found = search(queries, corpus, k=6)
    assert [[hit.corpus_id for hit in hits] for hits in found] == places.tolist()
    assert [[hit.corpus_id for hit in h] for h in found] == [
        [hit["corpus_id"] for hit in hits] for hits in theirs
    ]
    for hits, exact, other in zip(found, scores, theirs, strict=True):
        np.testing.assert_allclose([hit.score for hit in hits], exact, atol=1e-6)
        np.testing.assert_allclose(exact, [hit["score"] for hit in other], atol=1e-6)
    assert [hit.text for hit in search(queries[0], corpus, k=1)] == [None]


def test_all_clusters_find_what_exact_search_finds() -> None:
    index = SearchIndex.build(SENTENCES, ENCODER)
    exact, probe_all = index.query(QUERIES), Ivf(clusters=4, probe=4)
    assert index.query(QUERIES, approximate=probe_all) == exact
    few = index.query(QUERIES, approximate=Ivf(clusters=4, probe=1))
    for query, hits in zip(QUERIES, few, strict=True):
        cosines = dict(brute_force(query, SENTENCES))
        assert [hit.score for hit in hits] == pytest.approx(
            [cosines[str(hit.text)] for hit in hits], abs=1e-6
        )
        assert bool(hits) == bool(query)
    index.add(["w3 w7 w9"])
    assert index.query("w3 w7 w9", approximate=probe_all)[0].id == 301


IDS: list[Any] = [[f"q-{i}" for i in range(300)], list(range(900, 600, -1))]


@pytest.mark.parametrize("ids", IDS, ids=["strings", "numbers"])
def test_ids_of_one_s_own_are_kept(ids: list[Any], tmp_path: Path) -> None:
    index = SearchIndex.build(SENTENCES, ENCODER, ids=ids)
    index.add(["w3 w7 w9"], [ids[0] * 2])
    index.save(tmp_path / "index")
    for found in (index, SearchIndex.load(tmp_path / "index", ENCODER)):
        best, *others = found.query("w3 w7 w9", k=9)
        assert best.id == ids[0] * 2 and best.corpus_id == 300
        assert all(hit.id == ids[hit.corpus_id] for hit in others)
        assert all(type(hit.id) is type(ids[0]) for hit in others)


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (["a", "b", "a"], "id 'a' occurs twice"),
        ([1, "2", 3], "id '2' is no int as the others are"),
        (["a", "b\tc", "d"], r"ids\[1\] is 'b\\tc'; .* without tabs"),
        (["a", "b"], "2 ids for more sentences; expected one for each"),
        (["a", "b", "c", "d"], "3 sentences for more ids"),
    ],
)
def test_ids_that_do_not_name_one_sentence_each_are_refused(ids: Any, message: str) -> None:
    for given_ids in (ids, iter(ids)):
        with pytest.raises(StsError, match=message):
            SearchIndex.build(["w1", "w2", "w3"], ENCODER, ids=given_ids)


def test_vectors_alone_are_searched() -> None:
    vectors = ENCODER.encode(SENTENCES)
    index = SearchIndex.from_vectors(vectors)
    by_text = SearchIndex.build(SENTENCES, ENCODER)
    asked = ENCODER.encode(QUERIES)
    found, expected = index.query(asked), by_text.query(asked)
    assert expected == by_text.query(QUERIES)
    assert [[(h.id, h.copies) for h in hits] for hits in found] == [
        [(h.id, h.copies) for h in hits] for hits in expected
    ]
    assert {hit.text for hits in found for hit in hits} == {None}
    with pytest.raises(StsError, match="does not know the model that made them"):
        index.query("w1")
    assert SearchIndex.from_vectors(vectors, SENTENCES, ENCODER).query(QUERIES) == expected
    assert SearchIndex.from_vectors(vectors, model=ENCODER).query("w1")[0].text is None
    index.add(vectors=vectors[:3])
    assert len(index) == 303 and index.distinct == by_text.distinct


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda i: i.query(np.ones(5)), "queries of 5 numbers; the index has 24"),
        (lambda i: SearchIndex.from_vectors(["w1"]), "vectors holds sentences"),
        (
            lambda i: SearchIndex.from_vectors([[np.inf]]),
            r"vectors\[0\] holds a number that is not",
        ),
        (
            lambda i: SearchIndex.from_vectors(np.ones((1, 3)), model=ENCODER),
            "vectors of 3 numbers",
        ),
    ],
)
def test_what_does_not_fit_is_refused(change: Any, message: str) -> None:
    with pytest.raises(StsError, match=message):
        change(SearchIndex.build(["w1", "w2"], ENCODER))


def test_eight_threads_ask_while_another_adds(tmp_path: Path) -> None:
    index = SearchIndex.build(SENTENCES, ENCODER, folder=tmp_path / "index")
    first = SearchIndex.build(SENTENCES, ENCODER).query(QUERIES)

    def ask(_: int) -> bool:
        # Blocks of other sentences arrive, none of which is nearer than a copy of the query.
        return [h[0].text for h in index.query(QUERIES) if h] == [h[0].text for h in first if h]

    with ThreadPoolExecutor(9) as pool:
        asked = pool.map(ask, range(200))
        for number in range(5):
            index.add([f"w59 w58 {'w57 ' * number}"] * 3)
        assert all(asked)
    assert len(index) == 315


def test_another_model_is_refused_and_a_file_of_one_is_found_again(tmp_path: Path) -> None:
    file = tmp_path / "model.safetensors"
    save_by_name(file, ENCODER, recipe="")
    SearchIndex.build(SENTENCES, file, folder=tmp_path / "index")
    index = SearchIndex.load(tmp_path / "index")
    assert index.settings["model"] == str(file)
    expected = index.query(QUERIES)
    same, turned = load_static(file), Encoder(ENCODER.tokenizer, -ENCODER.table)
    with pytest.raises(StsError, match="built with the model of fingerprint .* name that model"):
        SearchIndex.load(tmp_path / "index", turned)
    save_by_name(file, turned, recipe="")
    with pytest.raises(StsError, match=r"model\.safetensors has "):
        SearchIndex.load(tmp_path / "index").query("w1")
    assert SearchIndex.load(tmp_path / "index", same).query(QUERIES) == expected


def test_an_index_in_a_folder_goes_to_another_process(tmp_path: Path) -> None:
    index = SearchIndex.build(SENTENCES, "paragram-small", folder=tmp_path / "index")
    assert pickle.loads(pickle.dumps(index)).query("w1") == index.query("w1")
    with pytest.raises(TypeError, match="cannot be pickled; save it"):
        copy.deepcopy(SearchIndex.build(["w1"], ENCODER))
