"""Work shared by Ray: the same bytes as on one machine, whatever happens to the workers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from itertools import islice, product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from semaniacs.embeddings import loading
from semaniacs.embeddings.cli.mine import mine
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.runs.scale import shards
from semaniacs.runs.scale.scale_commands import scale
from semaniacs.runs.scale.shards import Cluster, Shard, cut, run
from semaniacs.runs.scorer import load
from semaniacs.sts.errors import StsError

if not all(map(find_spec, ("ray", "pyarrow", "pandas"))):
    pytest.skip("no Ray; pip install -r requirements-scale.txt", allow_module_level=True)

pytestmark = [
    pytest.mark.xdist_group("ray"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

HEAD = """\
import ray, sys
ray.init("local", num_cpus=2, include_dashboard=False, object_store_memory=10**8,
         log_to_driver=False, logging_level=50, _node_ip_address="127.0.0.1")
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
ray.shutdown()
"""
KNOWN = "a the cat dog sat ran mat lawn quick slow big small fast tiny huge".split()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A cluster of two workers on this machine, in a process of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
        patch.setenv("RAY_AUTH_MODE", "token")
        patch.setenv("RAY_AUTH_TOKEN", uuid.uuid4().hex)
        with subprocess.Popen(
            [sys.executable, "-c", HEAD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        ) as head:
            assert head.stdout is not None
            yield head.stdout.readline().strip()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    rows = np.random.default_rng(0).standard_normal((len(KNOWN) + 4, 8)).astype(np.float32)
    save_encoder(tmp_path / "toy.safetensors", Encoder(WordTokenizer(KNOWN, 4), rows))
    return tmp_path / "toy.safetensors"


@pytest.fixture(autouse=True)
def short_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "LINES", 40)


def sentences(n: int) -> list[str]:
    return [" ".join(words) for words in islice(product(KNOWN, repeat=5), n)]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def type_in(*words: object) -> None:
    result = CliRunner().invoke(scale, [*map(str, words)], catch_exceptions=False)
    assert result.exit_code == 0, result.output


# The same results as on one machine


def test_scores_keep_the_order_of_the_lines(address: str, tmp_path: Path) -> None:
    texts = sentences(100)
    pairs = [*zip(texts, texts[::-1], strict=True)]
    many = write(tmp_path / "many.tsv", ["\t".join(pair) for pair in pairs])
    few = write(tmp_path / "few.tsv", ["a cat\ta dog"])
    output = tmp_path / "out"
    type_in("score", many, few, "-o", output, "--model", "raw", "--address", address)
    expected = load("raw").score(*map(list, zip(*pairs, strict=True)))
    found = (output / "many.txt").read_text(encoding="utf-8").splitlines()
    assert found == [f"{round(score, 4)}" for score in expected.tolist()]
    assert len((output / "few.txt").read_text(encoding="utf-8").splitlines()) == 1
    assert not (output / shards.FOLDER).exists()


def test_pairs_are_those_of_one_file(address: str, tmp_path: Path, model: Path) -> None:
    texts = sentences(90)
    one, two = write(tmp_path / "one.txt", texts[:50]), write(tmp_path / "two.txt", texts[50:])
    whole, other = write(tmp_path / "whole.txt", texts), write(tmp_path / "b.txt", texts[::-2])
    options = ("--model", model, "--top-k", 3)
    output = tmp_path / "several.tsv"
    type_in("mine", one, two, "--against", other, *options, "-o", output, "--address", address)
    typed = ["bitext", whole, other, *options, "-o", tmp_path / "single.tsv"]
    assert CliRunner().invoke(mine, [*map(str, typed)], catch_exceptions=False).exit_code == 0
    assert output.read_bytes() == (tmp_path / "single.tsv").read_bytes()


# Workers that die, commands that are stopped


def count_lines(shard: Shard, folder: Path) -> None:
    """Die at the first try; then write the number of lines."""
    tried = folder / f"{Path(shard.target).name}.tried"
    if not tried.exists():
        tried.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    Path(shard.target).write_text(str(len(shard.read().splitlines())), encoding="utf-8")


def test_a_lost_worker_loses_no_line(address: str, tmp_path: Path) -> None:
    parts = cut(str(write(tmp_path / "texts.txt", sentences(70))), tmp_path, "this")
    run(partial(count_lines, folder=tmp_path), parts, Cluster(address, None))
    assert [Path(part.target).read_text(encoding="utf-8") for part in parts] == ["40", "30"]


def test_finished_shards_are_kept(address: str, tmp_path: Path, model: Path) -> None:
    output = tmp_path / "out"
    (output / shards.FOLDER).mkdir(parents=True)
    texts = write(tmp_path / "texts.txt", sentences(70))
    settings = ["encode", str(model), None]
    first, _ = cut(str(texts), (output / shards.FOLDER).absolute(), settings)
    np.save(first.target + ".npy", np.zeros((40, 8), np.float32))
    Path(first.target + ".npy").rename(first.target)
    type_in("encode", texts, "-o", output, "--model", model, "--address", address)
    vectors = np.load(output / "texts.npy")
    assert not vectors[:40].any()
    np.testing.assert_array_equal(vectors[40:], loading.load(model).encode(sentences(70)[40:]))


# Errors


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    pairs = write(tmp_path / "pairs.tsv", [*(["a\tb"] * 50), "alone"])
    with pytest.raises(StsError, match=r"pairs\.tsv:51: "):
        shards.score(cut(str(pairs), tmp_path, None)[1], "raw")


def test_a_cluster_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
    pairs = write(tmp_path / "pairs.tsv", ["a\tb"])
    with pytest.raises(StsError, match="set RAY_AUTH_TOKEN"):
        type_in("score", pairs, "-o", tmp_path, "--model", "raw", "--address", "127.0.0.1:1")
