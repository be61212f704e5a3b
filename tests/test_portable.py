"""Modules and functions that Windows and macOS do not have are not needed."""

from __future__ import annotations

from pathlib import Path

from tests.sts.running import python

HIDE = """
import importlib, mmap, os, pkgutil, select, signal, sys, time

ROOMS = ("sts", "embeddings", "features", "runs")

modules = []
for room in ROOMS:
    package = importlib.import_module(f"semaniacs.{room}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:  # an optional library
            assert error.name.split(".")[0] != "semaniacs"
        else:
            modules.append(module.name)
# Libraries may use what the system has: they are imported before it is hidden.
for name in [name for name in sys.modules if name.split(".")[0] == "semaniacs"]:
    del sys.modules[name]
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "readline"):
    sys.modules[name] = None
missing = {
    os: "getuid geteuid getgid getegid getgroups getpgid killpg setsid fork forkpty pread pwrite "
    "sched_getaffinity uname mkfifo chown nice O_NOFOLLOW",
    signal: "SIGKILL SIGHUP SIGALRM SIGPIPE SIGUSR1 alarm setitimer",
    select: "poll epoll",
    time: "tzset",
    mmap: "MADV_HUGEPAGE",
}
for module, names in missing.items():
    for name in names.split():
        delattr(module, name)
for name in modules:
    importlib.import_module(name)
"""

WORK = """
from pathlib import Path

import numpy as np

from semaniacs.embeddings.search import SearchIndex
from semaniacs import load
from semaniacs.sts.cache import Cache
from semaniacs.sts.files import read_text, write_text
from semaniacs.sts.translation import Translation, TranslationMemory
from semaniacs.sts.translation.memory import Entry

folder = Path(sys.argv[1])
assert 4 < load("raw").score("A dog runs.", "A dog is running.") <= 5
for text in ("old", "new"):
    write_text(folder / "file", text)
assert read_text(folder / "file") == "new"
(folder / "link").symlink_to(folder / "file")
write_text(folder / "link", "by a link")
assert read_text(folder / "file") == "by a link"
for _ in range(2):
    SearchIndex.from_vectors(np.eye(3), folder=folder / "index", overwrite=True)
SearchIndex.load(folder / "index").add(vectors=np.eye(3))
cache = Cache("values", "a test", folder / "cache")
assert cache.get("key", Path.read_text, lambda path: path.write_text("value")) == "value"
memory = TranslationMemory(folder / "memory.jsonl")
memory.add_entries([Entry("test", "1", "es", "en", "un perro", Translation("a dog"))])
assert memory.get("test", "es", "en", "un perro").translation.text == "a dog"
print("done")
"""


def test_what_only_linux_has_is_not_needed(tmp_path: Path) -> None:
    ended = python("-c", HIDE + WORK, tmp_path)
    assert ended.stdout == "done\n", ended.stderr
