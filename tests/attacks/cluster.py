"""A cluster that loses machines, room and files: it costs time, and no line.

The recipe of docs/scale.md on two machines. Who may make network namespaces has a machine in each,
with an address of its own; else both are this one.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import islice, product
from pathlib import Path

from features.columns import PAIRS_AT_ONCE
from tests.attacks.promises import Trial, checker
from tests.attacks.writes import left_over

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent

PARTS = 40
"""Of the pairs that are scored, so that there is time to break something."""

AFTER = 4
"""Parts that are made before something breaks."""

LONGEST = 240.0
"""Seconds until a command counts as hung."""

SCORE = (sys.executable, "-m", "runs.scale", "score")


@dataclass
class Machine:
    """A node of Ray.

    Attributes:
        ip: what it is reached at.
        inside: what a command begins with that runs on it.
        mark: in the environment of all that runs on it.
    """

    ip: str
    inside: tuple[str, ...] = ()
    mark: str = field(default_factory=lambda: secrets.token_hex(16))

    def start(self, *arguments: str, surroundings: dict[str, str]) -> None:
        """``ray start`` with one core of this machine."""
        typed = [*self.inside, str(BIN / "ray"), "start", *arguments, "--node-ip-address", self.ip]
        ended = subprocess.run(
            [*typed, "--num-cpus", "1", "--object-store-memory", str(10**8)],
            env=surroundings | {"MARK": self.mark}, check=False, capture_output=True, text=True,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stdout + ended.stderr

    def processes(self) -> Iterator[tuple[int, str]]:
        """Number and name of each process that runs on it."""
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):  # it has ended, or is another's
                if f"MARK={self.mark}".encode() in path.read_bytes():
                    yield int(path.parent.name), (path.parent / "cmdline").read_text()

    def kill(self) -> None:
        """What pulling its plug does to its processes."""
        while found := list(self.processes()):
            for number, _ in found:
                with suppress(OSError):
                    os.kill(number, signal.SIGKILL)


@dataclass
class Site:
    """Two machines, and the surroundings of what runs on them."""

    head: Machine
    other: Machine
    surroundings: dict[str, str]

    @property
    def address(self) -> str:
        """Of the cluster."""
        return f"{self.head.ip}:6380"

    def start_head(self) -> None:
        """As docs/scale.md says."""
        self.head.start(
            *("--head", "--port", "6380", "--include-dashboard", "false"),
            surroundings=self.surroundings,
        )

    def start_other(self) -> None:
        """As docs/scale.md says."""
        self.other.start("--address", self.address, surroundings=self.surroundings)

    def kill(self) -> None:
        """Both machines."""
        self.other.kill()
        self.head.kill()


@contextmanager
def site(folder: Path) -> Iterator[Site]:
    """Two machines without a cluster; nothing of one is left afterwards."""
    surroundings = {k: v for k, v in os.environ.items() if not k.startswith("RAY_")} | {
        "PYTHONPATH": str(ROOT),
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_TMPDIR": str(folder),
    }
    names = [f"{place}{secrets.token_hex(3)}" for place in "ab"]
    ips = ["10.77.0.1", "10.77.0.2"] if _namespaces(names) else ["127.0.0.1", "127.0.0.1"]
    inside = [("ip", "netns", "exec", name) if ips[0] != ips[1] else () for name in names]
    made = Site(*map(Machine, ips, inside), surroundings)
    try:
        yield made
    finally:
        made.kill()
        for name in names:
            _quietly("ip", "netns", "delete", name)


def _namespaces(names: Sequence[str]) -> bool:
    """Make two that reach each other; False where that is not allowed."""
    if not shutil.which("ip"):
        return False
    a, b = names
    typed = [f"netns add {a}", f"netns add {b}", f"link add {a} type veth peer name {b}"]
    for name, ip in ((a, "10.77.0.1/24"), (b, "10.77.0.2/24")):
        typed += [f"link set {name} netns {name}", f"-n {name} addr add {ip} dev {name}"]
        typed += [f"-n {name} link set {name} up", f"-n {name} link set lo up"]
    return all(_quietly("ip", *line.split()) for line in typed)


def _quietly(*typed: str) -> bool:
    return subprocess.run(typed, capture_output=True, check=False).returncode == 0


class Command:
    """``runs.scale score`` of a file on a cluster.

    Args:
        score: how the command begins.
        site: where the cluster is.
        pairs: the file.
        output: the folder of its scores.
    """

    def __init__(self, score: Sequence[str], site: Site, pairs: Path, output: Path) -> None:
        self.output, self.result = output, output / f"{pairs.stem}.txt"
        typed = [*score, str(pairs), "--run", "raw", "--output", str(output)]
        self.process = subprocess.Popen(
            [*site.head.inside, *typed, "--address", site.address],
            env=site.surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def wait_for_parts(self) -> None:
        """Until some are there, or it has ended."""
        while self.process.poll() is None and len(self.parts()) < AFTER:
            time.sleep(0.05)

    def parts(self) -> list[Path]:
        """Those that are made."""
        return sorted((self.output / ".parts").glob("*.part"))

    def ends(self) -> tuple[int | None, list[str]]:
        """Its exit code, None if it hangs, and the lines that it told."""
        try:
            told = self.process.communicate(timeout=LONGEST)[1]
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None, self.process.communicate()[1].splitlines()
        return self.process.returncode, told.splitlines()

    def fails(self) -> str | None:
        """What is wrong with its end where it may not come to one, or may."""
        code, told = self.ends()
        if code == 0 or (code == 2 and len(told) == 1 and told[0].startswith("error: ")):
            return None
        return f"expected 2 and one line, or success; exit code {code}: {' / '.join(told)[:300]}"

    def succeeds(self, whole: bytes) -> str | None:
        """What is wrong with its end, or with its scores."""
        code, told = self.ends()
        if code != 0:
            return f"exit code {code}: {' / '.join(told)[:300]}"
        if self.result.read_bytes() != whole:
            return "other bytes than one process writes"
        return f"leaves {left}" if (left := left_over(self.output)) else None


def write_pairs(path: Path, n: int) -> Path:
    """The sample's sentences, each with every other, as often as it takes."""
    files = sorted((ROOT / "sts/data/sample").glob("STS.sample.input.*"))
    lines = [line.split("\t") for file in files for line in file.read_text("utf-8").splitlines()]
    every = [f"{a[0]}\t{b[1]}\n" for a, b in product(lines, lines)]
    path.write_text("".join(islice((every * (1 + n // len(every))), n)), encoding="utf-8")
    return path


class Failure:
    """Something that breaks while a command is at work, and what is expected of the command."""

    def __init__(self, folder: Path, pairs: Path, whole: bytes, score: Sequence[str]) -> None:
        self.folder, self.pairs, self.whole, self.score = folder, pairs, whole, score

    def command(self, at: Site) -> Command:
        """The command, once it runs."""
        return Command(self.score, at, self.pairs, self.folder / "scores")

    def recipe(self, at: Site) -> str | None:
        """Nothing breaks; both machines work; who does not know the token is refused."""
        at.start_head()
        at.start_other()
        command = self.command(at)
        idle = _idle(command, at.other)
        found = command.succeeds(self.whole) or idle
        stranger = Site(at.head, at.other, at.surroundings | {"RAY_AUTH_TOKEN": "0" * 64})
        code, told = self.command(stranger).ends()
        if code != 2 or len(told) != 1:
            return f"without the token: exit code {code}, {' / '.join(told)[:300]}"
        return found

    def machine_joins(self, at: Site) -> str | None:
        """A machine is added to a cluster that works."""
        at.start_head()
        command = self.command(at)
        command.wait_for_parts()
        at.start_other()
        idle = _idle(command, at.other)
        return command.succeeds(self.whole) or idle

    def machine_lost(self, at: Site) -> str | None:
        """A machine that works loses its power."""
        at.start_head()
        at.start_other()
        command = self.command(at)
        command.wait_for_parts()
        at.other.kill()
        return command.succeeds(self.whole)

    def head_lost(self, at: Site) -> str | None:
        """The head does; another cluster goes on."""
        at.start_head()
        command = self.command(at)
        command.wait_for_parts()
        at.head.kill()
        return command.fails() or self._goes_on(at)

    def part_damaged(self, at: Site) -> str | None:
        """A command is killed, and a part of what it kept is changed and another one cut."""
        at.start_head()
        command = self.command(at)
        command.wait_for_parts()
        command.process.kill()
        command.ends()
        changed, cut, *_ = command.parts()
        changed.write_bytes(changed.read_bytes().replace(b"1", b"2"))
        os.truncate(cut, 100)
        return self.command(at).succeeds(self.whole)

    def mixed(self, at: Site) -> str | None:
        """A machine's sums are another processor's."""
        at.start_head()
        at.surroundings["OPENBLAS_CORETYPE"] = "Nehalem"
        at.start_other()
        del at.surroundings["OPENBLAS_CORETYPE"]
        code, told = self.command(at).ends()
        if code != 2 or len(told) != 1 or "kind of processor (Nehalem" not in told[0]:
            return f"exit code {code}: {' / '.join(told)[:300]}"
        return None

    def store_full(self, at: Site) -> str | None:
        """Another program fills the cluster's shared memory."""
        at.start_head()
        typed = [*at.head.inside, sys.executable, "-c", FILL, at.address]
        with subprocess.Popen(
            typed, env=at.surroundings | {"MARK": at.head.mark}, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as filling:  # fmt: skip
            assert filling.stdout is not None
            if filling.stdout.readline() != b"full\n":
                return "the shared memory could not be filled"
            found = self.command(at).succeeds(self.whole)
            filling.kill()
        return found

    def disk_full(self, at: Site) -> str | None:
        """A file system without room for all parts; then it has some."""
        room = self.folder / "scores"
        room.mkdir()
        small = f"size={len(self.whole) // 2}"
        if not _quietly("mount", "-t", "tmpfs", "-o", small, "tmpfs", str(room)):
            return None  # only the superuser can make one
        try:
            at.start_head()
            code, told = self.command(at).ends()
            if code != 2 or len(told) != 1 or "space" not in told[0]:
                return f"no room: exit code {code}, {' / '.join(told)[:300]}"
            if (room / f"{self.pairs.stem}.txt").exists():
                return "no room: a file of scores is there"
            _quietly("mount", "-o", f"remount,size={20 * len(self.whole)}", str(room))
            return self.command(at).succeeds(self.whole)
        finally:
            _quietly("umount", "-l", str(room))

    def _goes_on(self, at: Site) -> str | None:
        at.start_head()
        return self.command(at).succeeds(self.whole)


FILL = """\
import sys, numpy as np, ray
ray.init(sys.argv[1], log_to_driver=False, logging_level=50)
kept = []
for _ in range(9):
    kept.append(ray.put(np.zeros(10**7, np.uint8)))
print("full", flush=True)
import time; time.sleep(600)
"""

FAILURES = (
    "recipe", "machine_joins", "machine_lost", "head_lost", "part_damaged", "mixed", "store_full",
    "disk_full",
)  # fmt: skip


def _idle(command: Command, machine: Machine) -> str | None:
    """What is wrong if a machine makes no part until the command ends."""
    while command.process.poll() is None:
        if any("ray::" in name and "Map" in name for _, name in machine.processes()):
            return None
        time.sleep(0.1)
    return "a machine of the cluster had nothing to do"


def broken(
    name: str, folder: Path, pairs: Path, whole: bytes, score: Sequence[str] = SCORE
) -> str | None:
    """What is wrong when this breaks."""
    folder.mkdir(parents=True)
    with site(folder) as at:
        found: str | None = getattr(Failure(folder, pairs, whole, score), name)(at)
    return f"{name}: {found}" if found else None


@checker("many at once", "machines, memory, disk and parts of a cluster are lost at work",
         cases=len(FAILURES), sample=0, seconds=1200)  # fmt: skip
def cluster(trial: Trial) -> Iterator[str | None]:
    """One case each; none where Ray is not installed."""
    if not all(map(find_spec, ("ray", "pyarrow", "pandas"))):
        return
    pairs = write_pairs(trial.folder / "pairs.tsv", PARTS * PAIRS_AT_ONCE)
    alone = trial.folder / "alone.txt"
    typed = [sys.executable, ROOT / "run_submission.py", "--run", "raw", "--pairs", pairs]
    subprocess.run([*typed, "--output", alone], check=True, capture_output=True)
    for name in FAILURES[: trial.cases]:
        yield broken(name, trial.folder / name, pairs, alone.read_bytes())
