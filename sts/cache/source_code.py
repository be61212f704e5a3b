"""Which of the project's own code a function runs, and a hash of it.

Starting from a function, a class or a whole module, every name that is used is followed to
where it is defined, through imports, lazy ones and those for type checkers included: an
object that is passed in is covered by its annotation. What is reached through ``getattr``,
a registry of names or a protocol is not seen; name such code as a second start.

Only the syntax tree counts: comments, docstrings, formatting and the place of a file do not.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from sts.errors import UnknownNameError

ROOT = Path(__file__).parents[2]
"""The checkout, or the folder that the project is installed in, with its libraries."""

OURS = frozenset(("sts", "embeddings", "features", "runs", "semaniacs"))
"""The packages there that are the project's own."""

DISTRIBUTIONS = {"sklearn": "scikit-learn", "faiss": "faiss-cpu"}
"""Names under which packages are installed, where they are imported by another."""


class Place(NamedTuple):
    """A name in a module; ``""`` is the module itself."""

    module: str
    name: str = ""


@dataclass
class Module:
    """Names that a source file binds at its top level.

    Attributes:
        definitions: the statements that bind each name.
        imports: where each imported name leads, imports inside functions included.
    """

    definitions: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, set[Place]] = field(default_factory=dict)


@dataclass(frozen=True)
class Code:
    """The code that some functions run.

    Attributes:
        digest: hexadecimal sha256 of all definitions.
        modules: the project's modules that hold them, sorted.
        packages: the libraries that these definitions use, by their versions.
    """

    digest: str
    modules: tuple[str, ...]
    packages: dict[str, str]


@lru_cache(maxsize=64)
def code_of(*starts: str, root: Path = ROOT) -> Code:
    """The code that is reached from functions, classes (``"module:name"``) or modules.

    Args:
        starts: such as ``"embeddings.training.loop:train"``.
        root: the folder that the modules are imported from.

    Raises:
        UnknownNameError: the project has no such module, or the module no such name.
    """
    todo = [_start(start, root) for start in starts]
    hashes: set[str] = set()
    seen: set[Place] = set()
    libraries: set[str] = set()
    while todo:
        place = todo.pop()
        if place in seen:
            continue
        seen.add(place)
        if not _is_ours(place.module, root):
            libraries.add(place.module.split(".")[0])
            continue
        module = _parse(place.module, root)
        if place.name in module.definitions:
            for statement in module.definitions[place.name]:
                hashes.add(f"{place.name} {_hash(statement)}")
                todo += _used(statement, place.module, module, root)
        elif place.name in module.imports:
            todo += module.imports[place.name]
        else:  # the module itself, or something that it makes in a way that is not seen here
            todo += (Place(place.module, name) for name in module.definitions)
    modules = sorted({place.module for place in seen if _is_ours(place.module, root)})
    digest = sha256("\n".join(sorted(hashes)).encode()).hexdigest()
    return Code(digest, tuple(modules), _versions(libraries))


def _start(start: str, root: Path) -> Place:
    module, _, name = start.partition(":")
    if not _is_ours(module, root):
        raise UnknownNameError("module", module, ["the modules of this project"])
    known = _parse(module, root).definitions
    if name and name not in known:
        raise UnknownNameError(f"name in {module}", name, list(known))
    return Place(module, name)


def _path_of(module: str, root: Path) -> Path | None:
    path = root.joinpath(*module.split("."))
    files = (path.with_suffix(".py"), path / "__init__.py")
    return next((file for file in files if file.is_file()), None)


@cache
def _is_ours(module: str, root: Path) -> bool:
    return module.partition(".")[0] in OURS and _path_of(module, root) is not None


@cache
def _parse(name: str, root: Path) -> Module:
    path = _path_of(name, root)
    assert path is not None
    tree = _WithoutProse().visit(ast.parse(path.read_bytes()))
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    module = Module()
    for statement in _top_level(tree.body):
        for bound in _bound(statement):
            module.definitions.setdefault(bound, []).append(statement)
    for node in ast.walk(tree):
        for bound, place in _imported(node, package, root):
            module.imports.setdefault(bound, set()).add(place)
    return module


class _WithoutProse(ast.NodeTransformer):
    """Leaves out docstrings."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node


def _top_level(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those below ``if`` and ``try`` too."""
    for statement in statements:
        if isinstance(statement, ast.If | ast.Try | ast.With):
            parts = (getattr(statement, part, []) for part in ("body", "orelse", "finalbody"))
            for part in (*parts, *(h.body for h in getattr(statement, "handlers", []))):
                yield from _top_level(part)
        else:
            yield statement


def _bound(statement: ast.stmt) -> list[str]:
    """The names that a statement gives a value to."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            pass
        case ast.AnnAssign(target=target) | ast.AugAssign(target=target):
            targets = [target]
        case _:
            return []
    names = (node for target in targets for node in ast.walk(target))
    return [node.id for node in names if isinstance(node, ast.Name)]


def _imported(node: ast.AST, package: str, root: Path) -> Iterator[tuple[str, Place]]:
    """The names that an import binds, and where they lead."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            first = alias.name.split(".")[0]
            yield alias.asname or first, Place(alias.name if alias.asname else first)
    elif isinstance(node, ast.ImportFrom):
        above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
        base = ".".join([*above, *filter(None, [node.module])])
        for alias in node.names:
            inner = f"{base}.{alias.name}"
            place = Place(inner) if _is_ours(inner, root) else Place(base, alias.name)
            yield alias.asname or alias.name, place


def _used(node: ast.AST, name: str, module: Module, root: Path) -> Iterator[Place]:
    """Where the names that occur in a definition lead."""
    if isinstance(node, ast.Name):
        if node.id in module.definitions:
            yield Place(name, node.id)
        yield from module.imports.get(node.id, ())
    elif isinstance(node, ast.Attribute) and (chain := _chain(node)):
        yield from _attribute(chain, name, module, root)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _used(child, name, module, root)


def _chain(node: ast.expr) -> list[str]:
    """``["a", "b", "c"]`` of ``a.b.c``; empty if it does not begin with a name."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def _attribute(chain: list[str], name: str, module: Module, root: Path) -> Iterator[Place]:
    first, *rest = chain
    if first in module.definitions:
        yield Place(name, first)
    for place in module.imports.get(first, ()):
        inside, inner = place.module, list(rest)
        while not place.name and inner and _is_ours(f"{inside}.{inner[0]}", root):
            inside = f"{inside}.{inner.pop(0)}"
        of_module = inner and not place.name and _is_ours(inside, root)
        yield Place(inside, inner[0] if of_module else place.name)


def _hash(statement: ast.stmt) -> str:
    return sha256(ast.dump(statement).encode("utf-8", "surrogatepass")).hexdigest()


def _versions(libraries: set[str]) -> dict[str, str]:
    """The versions of the libraries that are installed, besides Python's own."""
    found = {}
    for library in sorted(libraries - sys.stdlib_module_names):
        distribution = DISTRIBUTIONS.get(library, library)
        try:
            found[distribution] = version(distribution)
        except PackageNotFoundError:
            continue
    return found
