"""What a request of the server costs: pairs a second and latency, beside the library's own call.

    python -m runs.benchmarks.serve

One process serves; clients in this process ask over loopback, each as soon as it is answered. The
library is called here, before. Ratios are of pairs a second to the library's with as many pairs a
call.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection
from itertools import count
from typing import NamedTuple

import numpy as np

from runs.benchmarks.timing import ROOT
from runs.benchmarks.versions import sample_pairs
from runs.options import new_parser
from runs.scorer import load
from runs.tables.format import text_table
from sts.command_line import count as whole_number
from sts.command_line import run_tool
from sts.errors import StsError

Pairs = list[list[str]]
Call = Callable[[Pairs], None]

WORK = ((1, 1), (64, 1), (1, 1000))
"""Clients, and pairs of a request."""


class Timed(NamedTuple):
    """Pairs a second, and the milliseconds in which half and 99 % of the calls were answered."""

    rate: float
    median: float
    slow: float


def main() -> None:
    """Time the library and the server, and print a table."""
    parser = new_parser("runs.benchmarks.serve", __doc__, data=False)
    parser.add_argument("--model", default="fusion", help="that scores (default: fusion)")
    parser.add_argument("--seconds", type=whole_number, default=10, help="for each line")
    options = parser.parse_args()
    print(measure(options.model, options.seconds))


def measure(model: str, seconds: float) -> str:
    """The table of a model, each line timed for so many seconds."""
    pairs = [line.split("\t") for line in sample_pairs(20_000)]
    scorer = load(model)

    def call(some: Pairs) -> None:
        scorer.score(*zip(*some, strict=True))

    sizes = sorted({size for _, size in WORK})
    library = {size: time_calls([call], pairs, size, seconds) for size in sizes}
    rows = [_row("library", 1, size, timed, library) for size, timed in library.items()]
    with serving(model) as port:
        for clients, size in WORK:
            with ExitStack() as stack:
                asks = [stack.enter_context(_client(port, model)) for _ in range(clients)]
                timed = time_calls(asks, pairs, size, seconds)
            rows.append(_row("server", clients, size, timed, library))
    heading = ("", "clients", "pairs a call", "pairs/s", "p50 ms", "p99 ms", "ratio to library")
    return text_table(heading, rows)


def _row(name: str, clients: int, size: int, timed: Timed, library: dict[int, Timed]) -> list[str]:
    ratio = timed.rate / library[size].rate
    figures = (f"{timed.rate:.0f}", f"{timed.median:.1f}", f"{timed.slow:.1f}", f"{ratio:.2f}")
    return [name, str(clients), str(size), *figures]


def time_calls(calls: list[Call], pairs: Pairs, size: int, seconds: float) -> Timed:
    """Call all at once, each again and again, with ever other pairs; the first call is not timed."""
    starts = count(0, size)

    def work(call: Call) -> list[float]:
        call(pairs[:size])
        found, end = [], time.perf_counter() + seconds
        while (begin := time.perf_counter()) < end:
            first = next(starts) % (len(pairs) - size + 1)
            call(pairs[first : first + size])
            found.append(time.perf_counter() - begin)
        return found

    with ThreadPoolExecutor(len(calls)) as pool:
        found = np.concatenate([np.array(times) for times in pool.map(work, calls)])
    # Each client asks without a pause: so many calls of so many seconds, side by side.
    rate = size * len(calls) / found.mean()
    return Timed(rate, *(1000 * np.percentile(found, (50, 99))).tolist())


@contextmanager
def _client(port: int, model: str) -> Iterator[Call]:
    """A client with a connection of its own, which it keeps."""
    connection = HTTPConnection("127.0.0.1", port)

    def ask(some: Pairs) -> None:
        body = json.dumps({"pairs": some, "model": model})
        connection.request("POST", "/score", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        found = json.loads(answer.read())
        if answer.status != 200:
            raise StsError(f"the server refused pairs: {found['error']['message']}")

    with closing(connection):
        yield ask


@contextmanager
def serving(model: str) -> Iterator[int]:
    """The port of a server in a process of its own."""
    command = [sys.executable, "-m", "semaniacs", "serve", "--port", "0", "--model", model]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline().strip().rpartition(":")[2]
            if not port:
                raise StsError("the server did not start; try it: semaniacs serve")
            yield int(port)
        finally:
            process.terminate()


if __name__ == "__main__":
    run_tool(main)
