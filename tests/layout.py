"""The layout of the project, read from its sources: rooms, imports, circles, sizes, openings.

Nothing is imported. Imports inside functions and under TYPE_CHECKING count like any other.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path, PurePosixPath

from setup import ROOMS as INNER_ROOMS

ROOT = Path(__file__).parents[1]
ROOMS = (*INNER_ROOMS, "semaniacs", "run_submission")
"""Each may import itself and those before it."""

Sources = Mapping[str, str]
"""Text of every file, by its path relative to the root."""

Graph = Mapping[str, frozenset[str]]
"""Modules, or folders, that each one imports."""


def sources() -> dict[str, str]:
    """Return every source file of the rooms by its path."""
    files = [ROOT / "run_submission.py"]
    for room in ROOMS[:-1]:
        files += sorted((ROOT / room).rglob("*.py"))
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


def module_of(path: str) -> str:
    """Return the dotted name of a file; a package's own file has the package's name."""
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def room_of(path: str) -> str:
    """Return the top-level folder, or file, of a path."""
    return path.removesuffix(".py").split("/")[0]


def imported(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and full name of everything that a file imports.

    ``from a import b`` gives ``a.b``, which may be a module or something in one. A computed name
    gives ``?``. The rooms are named without the package that holds them.
    """
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module or ''}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
            known = [a.value for a in node.args[:1] if isinstance(a, ast.Constant)]
            names = [str(name) for name in known] or ["?"]
        for name in names:
            yield node.lineno, _in_room(name)  # type: ignore[attr-defined]


def _in_room(name: str) -> str:
    inner = name.removeprefix("semaniacs.")
    return inner if inner.split(".")[0] in ROOMS else name


def _called(node: ast.Call) -> str:
    function = node.func
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def arrows_back(path: str, source: str) -> list[str]:
    """Return the imports of a room that comes after the file's own."""
    later = ROOMS[ROOMS.index(room_of(path)) + 1 :]
    found = imported(source)
    return [f"{path}:{line}: {name}" for line, name in found if name.split(".")[0] in later]


def graph_of(files: Sources) -> dict[str, frozenset[str]]:
    """Return which module imports which; importing a package is importing its own file."""
    modules = {module_of(path) for path in files}

    def target(name: str) -> str:
        while name and name not in modules:
            name = name.rpartition(".")[0]
        return name

    return {
        module_of(path): frozenset({target(name) for _, name in imported(source)})
        - {module_of(path), ""}
        for path, source in files.items()
    }


def folders_of(graph: Graph, files: Sources) -> dict[str, frozenset[str]]:
    """Return which folder of a room imports which; a file at the top of a room is left out."""
    folders = {
        module_of(path): ".".join(path.split("/")[:2]) for path in files if path.count("/") > 1
    }
    found: dict[str, set[str]] = defaultdict(set)
    for module, targets in graph.items():
        if module in folders:
            found[folders[module]] |= {folders[t] for t in targets if t in folders}
    return {folder: frozenset(targets - {folder}) for folder, targets in found.items()}


def circle(graph: Graph) -> list[str]:
    """Return the nodes of one circle of imports, in order; empty if there is none."""
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        return list(error.args[1])
    return []


def repeated_names(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the names that two files have; ``__init__`` and ``__main__`` may repeat."""
    places = defaultdict(list)
    for path in map(PurePosixPath, paths):
        if not path.stem.startswith("__"):
            places[path.stem].append(str(path))
    return {name: found for name, found in places.items() if len(found) > 1}


def crowded(paths: Iterable[str], most: int) -> list[str]:
    """Return the folders with more than ``most`` entries: modules and folders of modules."""
    entries = defaultdict(set)
    for path in map(PurePosixPath, paths):
        for inner in (path, *path.parents[:-2]):
            if not inner.name.startswith("__"):
                entries[str(inner.parent)].add(inner.name)
    return [folder for folder, found in entries.items() if len(found) > most]


RIDDLE = re.compile(r"(What|Of|Those|That|The same|Who|Whose|Its|It)\b")
"""Openings that make a person read a sentence twice."""


def riddles(path: str, source: str) -> list[str]:
    """Return docstrings and help texts that open with a riddle."""
    found = []
    for node in ast.walk(ast.parse(source)):
        text: str | None = None
        match node:
            case ast.Expr(value=ast.Constant(value=str(said))):
                text = said
            case ast.keyword(arg="help", value=ast.Constant(value=str(said))):
                text = said
        if text and RIDDLE.match(text.strip()):
            line = getattr(node, "lineno", 1)
            found.append(f"{path}:{line}: {text.strip().splitlines()[0][:60]}")
    return found
