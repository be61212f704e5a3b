"""The layout of the house, read from its sources: rooms, arrows between modules, circles, floors.

Nothing is imported: sources are given as text by path, so that a planted defect can be tried.
Imports inside functions and under TYPE_CHECKING count like any other.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePosixPath
from statistics import median

ROOMS = ("sts", "embeddings", "features", "runs", "semaniacs", "run_submission")
"""Each may import itself and what stands before it."""

Sources = Mapping[str, str]
"""Text of every file, by its path relative to the root of the house."""

Graph = Mapping[str, frozenset[str]]
"""The modules that each module imports."""


def module_of(path: str) -> str:
    """The dotted name of a file; a package's own file has the package's name."""
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def room_of(path: str) -> str:
    """The top-level folder, or file, of a path."""
    return path.removesuffix(".py").split("/")[0]


def imported(path: str, source: str) -> Iterator[tuple[int, str]]:
    """Line and full name of everything that a file imports, wherever in the file.

    ``from a import b`` gives ``a.b``, which may be a module or something in one; a name
    that is computed gives ``?``.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = path.removesuffix(".py").split("/")[: -node.level] if node.level else []
            names = [".".join([*base, *filter(None, [node.module])])]
            yield from ((node.lineno, ".".join([*names, alias.name])) for alias in node.names)
        elif isinstance(node, ast.Call) and called(node) in ("import_module", "__import__"):
            match node.args[:1]:
                case [ast.Constant(value=str(name))]:
                    yield node.lineno, name
                case _:
                    yield node.lineno, "?"


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def arrows_back(path: str, source: str) -> list[str]:
    """Imports of a room that stands after the file's own."""
    later = ROOMS[ROOMS.index(room_of(path)) + 1 :]
    found = imported(path, source)
    return [f"{path}:{line}: {name}" for line, name in found if name.split(".")[0] in later]


def graph_of(sources: Sources) -> Graph:
    """Which module of the house imports which; importing a package is importing its file."""
    modules = {module_of(path) for path in sources}

    def target(name: str) -> str | None:
        while name and name not in modules:
            name = name.rpartition(".")[0]
        return name or None

    return {
        module_of(path): frozenset(
            filter(None, (target(name) for _, name in imported(path, source)))
        )
        - {module_of(path)}
        for path, source in sources.items()
    }


def circle(graph: Graph) -> list[str]:
    """The modules of one circle of imports, in order; empty if there is none."""
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        return list(error.args[1])
    return []


def floors(graph: Graph, room: str) -> list[str]:
    """The longest chain of imports inside a room, from the top down.

    Raises:
        CycleError: there is a circle.
    """

    chains: dict[str, list[str]] = {}
    for module in TopologicalSorter(graph).static_order():
        if module.split(".")[0] == room:
            below = [chains[other] for other in graph[module] if other in chains]
            chains[module] = [module, *max(below, key=len, default=[])]
    return max(chains.values(), key=len, default=[])


def repeated_names(paths: Iterable[str]) -> dict[str, list[str]]:
    """File names that stand in two places.

    Every package may have its ``__main__``.
    """
    places = defaultdict(list)
    for path in paths:
        if not PurePosixPath(path).stem.startswith("__"):
            places[PurePosixPath(path).stem].append(path)
    return {name: found for name, found in places.items() if len(found) > 1}


def crowded(paths: Iterable[str], most: int) -> dict[str, list[str]]:
    """Folders with more than ``most`` entries: modules and folders of modules, by name."""
    entries = defaultdict(set)
    for path in map(PurePosixPath, paths):
        for inner in (path, *path.parents[:-2]):
            if inner.name != "__init__.py":
                entries[str(inner.parent)].add(inner.name)
    return {folder: sorted(found) for folder, found in entries.items() if len(found) > most}


def lengths(sources: Sources) -> dict[str, int]:
    """Lines of each file that is more than the file of a package."""
    return {
        path: len(source.splitlines())
        for path, source in sources.items()
        if not path.endswith("__init__.py")
    }


def median_length(sources: Sources) -> float:
    """The median of :func:`lengths`."""
    return median(lengths(sources).values())
