"""Any bytes as input: the right answer or one line of error, in bounded time and memory."""

from __future__ import annotations

import contextlib
import io
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from sts.errors import StsError
from sts.progress import visible
from tests.attacks.mutations import mutated
from tests.attacks.promises import Trial, checker
from tests.attacks.readers import READERS, Reader

SECONDS = 5.0
"""Of the processor that a case of some kilobytes may take."""

MEMORY = 2 * 2**30
"""Bytes that a reader may take beyond what the process had."""

LONGEST = 1500
"""Characters of a message."""


class TooLongError(BaseException):
    """A case took longer than :data:`SECONDS`."""


@contextmanager
def bounded() -> Iterator[None]:
    """With an end to time and memory."""

    def stop(*_: object) -> None:
        raise TooLongError

    with Path("/proc/self/statm").open(encoding="ascii") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    before = resource.getrlimit(resource.RLIMIT_AS)
    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, before[1]))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


def outcome(reader: Reader, path: Path) -> str | None:
    """What is wrong with how a file is read; None if nothing."""
    try:
        with bounded(), warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            reader.read(path)
    except StsError as error:
        message = str(error)
        if "\n" in message or message != visible(message):
            return f"a message of several lines or with controls: {message!r:.200}"
        return f"a message of {len(message)} characters" if len(message) > LONGEST else None
    except TooLongError:
        return f"takes more than {SECONDS:g} s"
    except MemoryError:
        return f"takes more than {MEMORY:,} bytes"
    except BaseException as error:
        (place,) = traceback.extract_tb(sys.exc_info()[2])[-1:]
        return (
            f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {error!s:.200}"
        )
    return None


def attack(reader: Reader, random: Random, cases: int, folder: Path) -> Iterator[str | None]:
    """The sample itself first, then samples that were changed."""
    sample = reader.sample()
    _write(folder / f"case{reader.suffix}", sample)
    with contextlib.suppress(Exception):  # what compiles at its first use is no cost of the bytes
        reader.read(folder / f"case{reader.suffix}")
    yield _case(reader, sample, folder)
    for _ in range(cases - 1):
        if isinstance(sample, bytes):
            changed: bytes | dict[str, bytes] = mutated(sample, random)
        else:
            name = random.choice(sorted(sample))
            changed = sample | {name: mutated(sample[name], random)}
        yield _case(reader, changed, folder)


def _case(reader: Reader, content: bytes | dict[str, bytes], folder: Path) -> str | None:
    path = folder / f"case{reader.suffix}"
    _write(path, content)
    found = outcome(reader, path)
    return None if found is None else f"{found}; kept in {_keep(reader, path)}"


def _write(path: Path, content: bytes | dict[str, bytes]) -> None:
    if isinstance(content, bytes):
        path.write_bytes(content)
        return
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    for name, raw in content.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_bytes(raw)


def _keep(reader: Reader, path: Path) -> Path:
    """A copy of what was found, for ``tests/attacks/``."""
    found = Path(tempfile.gettempdir(), "attacks-found")
    found.mkdir(exist_ok=True)
    number = len(list(found.glob(f"{reader.name}-*")))
    copy = found / f"{reader.name}-{number}{reader.suffix}"
    if path.is_dir():
        shutil.copytree(path, copy)
    elif path.exists():
        shutil.copyfile(path, copy)
    return copy


def _register(reader: Reader) -> None:
    def check(trial: Trial) -> Iterator[str | None]:
        return attack(reader, trial.random, trial.cases, trial.folder)

    check.__name__ = f"read_{reader.name}"
    checker("any bytes", f"changed bytes of a {reader.name}", cases=CASES, sample=15)(check)


CASES = 10_000
"""Of each reader."""

for _reader in READERS.values():
    _register(_reader)


SHAPES = (
    b"[",
    b'{"a":',
    b"<a>",
    b"a\t",
    b'"',
    b"\n",
    b"a",
    b"a b\n",
    b"\\",
    b",",
    b"1 ",
    b"\xc3\xa9",
    b"\0",
)
SIZES = (8, 32, 128)
FLOOR = 0.3
"""Seconds that say nothing of growth."""


@checker("any bytes", "time grows with the bytes, not with their square", cases=240, sample=0)
def growth(trial: Trial) -> Iterator[str | None]:
    """Thousands of the same few bytes, at three sizes, for each reader."""
    kinds = [(r, shape) for r in READERS.values() if r.suffix for shape in SHAPES]
    trial.random.shuffle(kinds)
    for reader, shape in kinds[: trial.cases]:
        yield grows(reader, shape, trial.folder / f"case{reader.suffix}")


def grows(reader: Reader, shape: bytes, path: Path) -> str | None:
    """What is wrong with the time that a reader takes for 8, 32 and 128 KiB of one shape."""
    taken = []
    for size in SIZES:
        path.write_bytes(shape * (size * 1024 // len(shape)))
        begin = time.process_time()
        found = outcome(reader, path)
        taken.append(time.process_time() - begin)
        if found is not None:
            return f"{reader.name}, {size} KiB of {shape!r}: {found}"
    if taken[2] > FLOOR + 8 * taken[1]:
        times = ", ".join(f"{t:.2f}" for t in taken)
        return f"{reader.name}: {times} s for 8, 32, 128 KiB of {shape!r}"
    return None
