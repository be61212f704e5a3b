"""Work shared by Ray: the same bytes as on one machine, whatever happens to the workers."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.__main__ import main as embeddings_main
from embeddings.encoder import Encoder
from embeddings.formats.single_file import save_encoder
from embeddings.mining import __main__ as mine
from embeddings.tokenizers.words import WordTokenizer
from features.columns import PAIRS_AT_ONCE
from runs.scale import searching, sharing
from runs.scale.__main__ import main as scale
from runs.scale.cluster import Cluster
from runs.scale.encoding import LINES
from runs.scale.many_files import each_file
from runs.scale.parts import Part
from runs.scale.scoring import Scoring
from runs.scale.sharing import FOLDER
from sts.errors import StsError
from sts.files import whole

if not all(map(find_spec, ("ray", "pyarrow", "pandas"))):
    pytest.skip("no Ray; pip install -r requirements-scale.txt", allow_module_level=True)

pytestmark = [
    pytest.mark.xdist_group("ray"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:ray"),
    # Ray forks to start programs; a test before these may have started JAX, which then warns.
    pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning"),
]

ROOT = Path(__file__).parents[2]

HEAD = """\
import ray, sys
ray.init("local", num_cpus=2, include_dashboard=False, object_store_memory=10**8,
         log_to_driver=False, logging_level=50, _node_ip_address="127.0.0.1")
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
ray.shutdown()
"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A cluster of two workers on this machine, in a process of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STS_CACHE", str(tmp_path_factory.mktemp("cache")))
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


@pytest.fixture(autouse=True)
def of_now() -> None:
    """Who edits code while the tests run would else be told that the workers are unlike."""
    sharing.key_of.cache_clear()


def sentences(n: int) -> list[str]:
    """Distinct ones, of words that the toy knows, some of which come twice in a sentence."""
    return [" ".join(words) for words in islice(product(KNOWN, repeat=5), n)]


KNOWN = "a the cat dog sat ran mat lawn quick slow big small fast tiny huge".split()


def write_pairs(path: Path, n: int) -> Path:
    sample = sorted((ROOT / "sts/data/sample").glob("STS.sample.input.*"))
    lines = [line.split("\t") for file in sample for line in file.read_text().splitlines()]
    every = ((left[0], right[1]) for left, right in product(lines, lines[::7]))
    path.write_text("".join(f"{left}\t{right}\n" for left, right in islice(every, n)))
    return path


@pytest.fixture
def toy_model(tmp_path: Path) -> Path:
    rows = np.random.default_rng(0).standard_normal((len(KNOWN) + 4, 8)).astype(np.float32)
    save_encoder(tmp_path / "toy.safetensors", Encoder(WordTokenizer(KNOWN, 4), rows))
    return tmp_path / "toy.safetensors"


# --- the same bytes


def test_scores_are_those_of_one_machine(cli: Any, address: str, tmp_path: Path) -> None:
    files = [
        write_pairs(tmp_path / "many.tsv", PAIRS_AT_ONCE + 300),
        write_pairs(tmp_path / "few.tsv", 3),
    ]
    output = tmp_path / "scores"
    # One worker, since each has to load the fusion; several are at work in the tests below.
    where = ("--address", address, "--workers", "1")
    ended = cli("score", *files, "--output", output, *where, main=scale)
    assert (ended.code, ended.out) == (0, ""), ended.err
    assert f"2 files written to {output}\n" in ended.err
    assert sorted(path.name for path in output.iterdir()) == ["few.txt", "many.txt"]
    for file in files:
        alone = tmp_path / "alone.txt"
        assert cli("--pairs", file, "--output", alone).code == 0
        assert (output / f"{file.stem}.txt").read_bytes() == alone.read_bytes()


def test_vectors_are_those_of_one_machine(
    cli: Any, address: str, tmp_path: Path, toy_model: Path
) -> None:
    lines = sentences(LINES + 1000)
    (tmp_path / "many.txt").write_text("\n".join(lines))  # the last one has no end
    (tmp_path / "ends.txt").write_bytes("a cat\r\n\r\n\u2028dog \r\n".encode())
    (tmp_path / "packed.txt.gz").write_bytes(gzip.compress(b"the mat\n\nthe zorglub\n"))
    files = [tmp_path / name for name in ("many.txt", "ends.txt", "packed.txt.gz")]
    output = tmp_path / "vectors"
    ended = cli(
        "encode", *files, "--output", output, "--model", toy_model, "--address", address, main=scale
    )
    assert ended.code == 0, ended.err
    for file in files:
        alone = tmp_path / "alone.npy"
        assert (
            cli("encode", file, "-o", alone, "--model", toy_model, main=embeddings_main).code == 0
        )
        name = file.name.removesuffix(".gz").replace(".txt", ".npy")
        assert (output / name).read_bytes() == alone.read_bytes()
    assert np.load(output / "many.npy").shape == (LINES + 1000, 8)


@pytest.mark.parametrize("options", [[], ["--distinct", "--texts", "--candidates", "forward"]])
def test_mined_pairs_are_those_of_one_machine(
    cli: Any,
    address: str,
    tmp_path: Path,
    toy_model: Path,
    options: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = sentences(300)
    rng = np.random.default_rng(0)
    sides = {"source": [*rng.permutation(lines)[:200], ""], "target": rng.permutation(lines)[:250]}
    whole_files = {}
    for side, texts in sides.items():
        pieces = ["".join(f"{text}\n" for text in part) for part in (texts[:90], texts[90:])]
        for i, piece in enumerate(pieces):
            (tmp_path / f"{side}.{i}").write_text(piece)
        whole_files[side] = tmp_path / side
        whole_files[side].write_text("".join(pieces))
    alone, shared = tmp_path / "alone.tsv", tmp_path / "shared.tsv"
    options = ["--model", str(toy_model), *options]
    ended = cli("bitext", *whole_files.values(), "-o", alone, *options, main=mine.main)
    assert ended.code == 0, ended.err
    monkeypatch.setattr(searching, "BLOCK", 64)  # several parts of each side
    ended = cli(
        *("mine", tmp_path / "source.0", tmp_path / "source.1"),
        *("--against", tmp_path / "target.0", tmp_path / "target.1"),
        *("-o", shared, "--address", address, *options),
        main=scale,
    )
    assert ended.code == 0, ended.err
    assert shared.read_bytes() == alone.read_bytes()
    assert shared.read_text().count("\n") > 100
    assert not (tmp_path / FOLDER).exists()


def test_without_a_cluster_one_is_started_and_stopped(tmp_path: Path) -> None:
    mark = uuid.uuid4().hex  # in the environment of all that is started
    file = write_pairs(tmp_path / "few.tsv", 3)
    ended = subprocess.run(
        [sys.executable, "-m", "runs.scale", "score", file, "--run", "raw", "--output", tmp_path],
        cwd=ROOT,
        env={k: v for k, v in os.environ.items() if not k.startswith("RAY_")} | {"MARK": mark},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (0, ""), ended.stderr
    assert ended.stderr == f"1 file written to {tmp_path}\n"
    assert (tmp_path / "few.txt").read_text().count("\n") == 3
    assert list(processes_with(mark)) == []


def processes_with(mark: str) -> Iterator[str]:
    """Those whose environment holds a mark."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                yield (path.parent / "cmdline").read_text()
        except OSError:  # it has ended, or is another's
            continue


# --- workers that die, commands that stop


@dataclass(frozen=True)
class Noted(Scoring):
    """Notes every part that is made."""

    notes: str = ""

    def make(self, part: Part, target: Path) -> None:
        super().make(part, target)
        with Path(self.notes).open("a") as file:
            file.write(f"{part.source}:{part.first}\n")


@dataclass(frozen=True)
class Killed(Noted):
    """The first worker at the second part is killed while it writes."""

    def make(self, part: Part, target: Path) -> None:
        killed = Path(self.notes + ".killed")
        if part.first > 1 and not killed.exists():
            killed.touch()
            with whole(target) as file:
                file.write(b"5.0\n")
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        super().make(part, target)


@dataclass(frozen=True)
class Stopped(Noted):
    """Refuses the third part, once the others are made."""

    def make(self, part: Part, target: Path) -> None:
        if part.first > 1 + PAIRS_AT_ONCE:
            raise StsError("no room is left")
        super().make(part, target)


@pytest.fixture
def by_value(address: str) -> Iterator[None]:
    """The classes of this file travel to workers, which cannot import it."""
    from ray import cloudpickle

    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    yield
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    return write_pairs(tmp_path / "pairs.tsv", 2 * PAIRS_AT_ONCE + 5)


def alone(cli: Any, file: Path) -> bytes:
    """What one machine writes."""
    output = file.with_suffix(".alone")
    assert cli("--run", "raw", "--pairs", file, "--output", output).code == 0
    return output.read_bytes()


@pytest.mark.usefixtures("by_value")
def test_a_worker_that_is_killed_costs_no_line(
    cli: Any, address: str, tmp_path: Path, pairs_file: Path
) -> None:
    notes = tmp_path / "notes"
    work = Killed("raw", str(notes))
    each_file(work, [str(pairs_file)], tmp_path / "out", Cluster(address))
    assert Path(f"{notes}.killed").exists()
    starts = (1, 1 + PAIRS_AT_ONCE, 1 + 2 * PAIRS_AT_ONCE)
    assert set(notes.read_text().splitlines()) == {f"{pairs_file}:{first}" for first in starts}
    assert (tmp_path / "out/pairs.txt").read_bytes() == alone(cli, pairs_file)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["pairs.txt"]


@pytest.mark.usefixtures("by_value")
def test_what_is_done_is_not_done_again_unless_it_has_changed(
    cli: Any, address: str, tmp_path: Path, pairs_file: Path
) -> None:
    notes = tmp_path / "notes"
    output = tmp_path / "out"
    with pytest.raises(StsError, match="no room is left"):
        each_file(Stopped("raw", str(notes)), [str(pairs_file)], output, Cluster(address, 1))
    assert len(notes.read_text().splitlines()) == 2
    assert [path.name for path in output.iterdir()] == [FOLDER]
    changed, _ = sorted((output / FOLDER).glob("*.part"))
    changed.write_bytes(changed.read_bytes().replace(b"1", b"2"))
    each_file(Noted("raw", str(notes)), [str(pairs_file)], output, Cluster(address))
    assert len(notes.read_text().splitlines()) == 4  # what was changed again, and the third
    assert (output / "pairs.txt").read_bytes() == alone(cli, pairs_file)


# --- what is refused


def test_a_bad_line_is_told_by_its_number_in_the_file(
    cli: Any, address: str, tmp_path: Path, pairs_file: Path
) -> None:
    lines = pairs_file.read_text().splitlines()
    lines[PAIRS_AT_ONCE + 7] = "no tab"
    pairs_file.write_text("\n".join(lines))
    output = tmp_path / "out"
    ended = cli("score", pairs_file, "--output", output, "--address", address, main=scale)
    ended.refused(f"{pairs_file}:{PAIRS_AT_ONCE + 8}: 1 column, expected 2", "'no tab'")
    assert not output.exists()


def test_an_error_of_a_worker_comes_out_as_one_line(
    cli: Any, address: str, tmp_path: Path, toy_model: Path
) -> None:
    (tmp_path / "bad.txt.gz").write_bytes(gzip.compress(b"the cat\n\xff\n"))
    output = tmp_path / "out"
    ended = cli(
        *("encode", tmp_path / "bad.txt.gz", "--output", output),
        *("--model", toy_model, "--address", address),
        main=scale,
    )
    ended.refused("bad.txt.gz:2", "is not UTF-8")
    assert list(output.iterdir()) == []


def test_an_address_that_is_none(cli: Any, address: str, tmp_path: Path, pairs_file: Path) -> None:
    ended = cli(
        *("score", pairs_file, "--run", "raw", "--output", tmp_path / "out"),
        *("--address", "nowhere"),
        main=scale,
    )
    ended.refused("nowhere: no Ray cluster there", "ray start --head")
