"""Ray is spoken to here alone: a cluster, and a function over many items by Ray Data.

Ray passes functions and records between its own processes in its own way, which is pickle;
nothing that we read or write is pickled.
"""

from __future__ import annotations

import io
import logging
import os
import queue
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from embeddings.encoder import threads
from sts.errors import StsError
from sts.extras import require

Row = dict[str, Any]
"""Strings and numbers by name."""

ROOT = Path(__file__).parents[2]

_BLOCKS = 10_000
"""Into so many blocks, at most, Ray Data takes the items; a block is what a worker gets."""

_TOKENS = {"RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"}

_PATIENCE, _BETWEEN = 20.0, 2.0
"""Seconds for which the head of a cluster may not answer, and between two questions. After 60, Ray
would end this process."""

_STORE = 10**8
"""Bytes of shared memory for what travels: names of parts, a few hundred bytes each."""


@dataclass(frozen=True)
class Cluster:
    """Where the work is done.

    Attributes:
        address: of a Ray cluster that runs; None starts one on this machine and stops it.
        workers: how many parts are worked on at once; None is one a CPU.
    """

    address: str | None = None
    workers: int | None = None


def check_installed() -> None:
    """Refuse to start without Ray.

    Raises:
        MissingResourceError: it is not installed.
    """
    require("ray", "pyarrow", "pandas")


@contextmanager
def connected(cluster: Cluster) -> Iterator[None]:
    """The cluster, for as long as it is worked on; one that was started here is stopped.

    Raises:
        StsError: no cluster answers at the address, or none can be started; or its head is lost.
    """
    check_installed()
    address = cluster.address or os.environ.get("RAY_ADDRESS") or "local"
    _prepare(address)
    with _silent():
        try:
            _connect(address, cluster.workers)
            yield
        finally:
            _ray().shutdown()


@contextmanager
def _silent() -> Iterator[None]:
    """Of Ray nothing on stdout and stderr, where it tells of workers that died; who asked for the
    work tells what matters. What is not Python writes to descriptor 2, which is turned away;
    ``sys.stderr``, where progress goes, leads to where that led.
    """
    with (
        Path(os.devnull).open("w") as nowhere,
        redirect_stdout(nowhere),
        _stderr_beside() as led_to,
    ):
        os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(led_to, 2)


@contextmanager
def _stderr_beside() -> Iterator[int]:
    """A copy of descriptor 2, to which ``sys.stderr`` writes meanwhile if it wrote to 2."""
    copy, told = os.dup(2), cast(Any, sys.stderr)
    try:
        if type(told) is not io.TextIOWrapper or told.fileno() != 2:  # what tests put there
            yield copy
            return
        raw = type(told.buffer.raw)(copy, "w", closefd=False)
        beside = io.TextIOWrapper(
            io.BufferedWriter(raw), told.encoding, told.errors, line_buffering=True
        )
        with redirect_stderr(beside):
            yield copy
    finally:
        os.close(copy)


def _ray() -> Any:
    """Ray, once the environment is as it must be; any type, since it need not be installed."""
    import ray.data

    return ray


def _prepare(address: str) -> None:
    """What Ray reads from the environment when it is imported."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"  # else a thread that is left would connect again
    by_token = os.environ.setdefault("RAY_AUTH_MODE", "token") == "token"
    if address == "local":
        # It then listens on 127.0.0.1, and answers those who know a word that is drawn here.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # named for where that is usual
        if by_token:
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    else:
        if by_token and not _TOKENS & os.environ.keys():
            raise StsError(
                f"{address}: RAY_AUTH_TOKEN is not set; set it to what the cluster was started "
                "with, or RAY_AUTH_MODE=disabled if anybody may run code there"
            )
        # Half a minute until an address where nobody is is given up, not a quarter of an hour.
        os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "3")
        os.environ.setdefault("RAY_py_gcs_connect_timeout_s", "5")
        os.environ.setdefault("RAY_gcs_rpc_server_connect_timeout_s", "2")


def _connect(address: str, workers: int | None) -> None:
    ray = _ray()
    try:
        ray.init(address, **_options(address, workers))
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        said = str(error).strip().split("\n")[0]
        raise StsError(
            f"{address}: no Ray cluster there ({said}); start one with ray start --head and give "
            "its HOST:PORT and its RAY_AUTH_TOKEN, or leave --address and RAY_ADDRESS out"
        ) from None


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), _BETWEEN).close()
    except OSError:
        return False
    return True


def _options(address: str, workers: int | None) -> dict[str, Any]:
    python_path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    options: dict[str, Any] = {
        "log_to_driver": False,
        "logging_level": logging.CRITICAL,
        "runtime_env": {"env_vars": {"PYTHONPATH": os.pathsep.join(python_path)}},
    }
    if address == "local":
        options |= {
            "num_cpus": workers or threads(),
            "include_dashboard": False,
            "object_store_memory": _STORE,
            "_node_ip_address": "127.0.0.1",
        }
    return options


def each(
    function: Callable[[Row], Row],
    items: Sequence[Row],
    cluster: Cluster,
    *,
    whole_machine: bool = False,
) -> Iterator[Row]:
    """function(item) of every item as soon as it is there, in any order.

    A worker that dies is replaced and its items are worked on again, so that a function may
    be called several times with one item.

    Args:
        function: of a module, or a partial of one.
        items: what it is called with.
        cluster: that is :func:`connected`.
        whole_machine: whether it uses all cores of a machine, instead of one.
    """
    ray = _ray()
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)
    ray.data.DataContext.get_current().enable_progress_bars = False
    blocks = min(len(items), _BLOCKS)
    data = ray.data.from_items(list(items), override_num_blocks=blocks)
    cpus = min(_cores(), default=1) if whole_machine else 1
    yield from _watched(data.map(function, num_cpus=cpus, concurrency=cluster.workers).iter_rows())


def _watched(rows: Iterator[Row]) -> Iterator[Row]:
    """The same, but for an :class:`StsError` if the head is lost; Ray would wait for it."""
    host, port = _ray().get_runtime_context().gcs_address.rsplit(":", 1)
    made: queue.SimpleQueue[Row | Exception | None] = queue.SimpleQueue()
    threading.Thread(target=_put, args=(rows, made), daemon=True).start()
    heard = time.monotonic()
    while True:
        try:
            row = made.get(timeout=_BETWEEN)
        except queue.Empty:
            if _answers(host, int(port)):
                heard = time.monotonic()
            elif time.monotonic() - heard > _PATIENCE:
                raise StsError(
                    f"{host}:{port}: the head of the cluster does not answer any more; start it "
                    "and the command again: what is done is kept"
                ) from None
            continue
        heard = time.monotonic()
        if row is None:
            return
        if isinstance(row, Exception):
            raise row
        yield row


def _put(rows: Iterator[Row], made: queue.SimpleQueue[Row | Exception | None]) -> None:
    """What there is, as soon as it is there; at last an error, or None."""
    try:
        for row in rows:
            made.put(row)
        made.put(None)
    except Exception as error:
        made.put(error)


def _cores() -> Iterator[float]:
    """Of each machine of the cluster that has any."""
    for machine in _ray().nodes():
        if machine["Alive"] and machine["Resources"].get("CPU", 0) > 0:
            yield machine["Resources"]["CPU"]
