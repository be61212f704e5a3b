"""Ray is spoken to here alone: a cluster, and a function over many items by Ray Data.

Ray passes functions and records between its own processes in its own way, which is pickle;
nothing that we read or write is pickled.
"""

from __future__ import annotations

import logging
import os
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from embeddings.encoder import threads
from sts.errors import StsError
from sts.extras import require

Row = dict[str, Any]
"""Strings and numbers by name."""

ROOT = Path(__file__).parents[2]

_BLOCKS = 10_000
"""Into so many blocks, at most, Ray Data takes the items; a block is what a worker gets."""

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
        StsError: no cluster answers at the address, or none can be started.
    """
    check_installed()
    address = cluster.address or os.environ.get("RAY_ADDRESS") or "local"
    _prepare(address)
    # Ray tells stdout of workers that died; what matters of it is told by who asked.
    with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):
        try:
            _connect(address, cluster.workers)
            yield
        finally:
            _ray().shutdown()


def _ray() -> Any:
    """Ray, once the environment is as it must be; any type, since it need not be installed."""
    import ray.data

    return ray


def _prepare(address: str) -> None:
    """What Ray reads from the environment when it is imported."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if address == "local":
        # It then listens on 127.0.0.1, and answers those who know a word that is drawn here.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # named for where that is usual
        if os.environ.setdefault("RAY_AUTH_MODE", "token") == "token":
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
    else:
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
            "its HOST:PORT, or leave --address and RAY_ADDRESS out"
        ) from None


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
    yield from data.map(function, num_cpus=cpus, concurrency=cluster.workers).iter_rows()


def _cores() -> Iterator[float]:
    """Of each machine of the cluster that has any."""
    for machine in _ray().nodes():
        if machine["Alive"] and machine["Resources"].get("CPU", 0) > 0:
            yield machine["Resources"]["CPU"]
