"""Finished work on disk, so that a study that was stopped goes on where it was."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from runs.studies.workers import each
from runs.tables.format import null_for_nan
from sts.errors import StsError
from sts.files import parse_json, write_bytes

Item = TypeVar("Item")
Value = dict[str, Any]


class Ledger:
    """Results by key: a file of one JSON object a line, ``{"key": …, "value": …}``.

    A result is appended to the file as soon as it is finished. A line that is incomplete
    because the process was killed is dropped when the file is next opened. A key is made of
    everything that its result depends on, so a result is never out of date. In the file an
    undefined number, NaN, is null.

    Args:
        path: the file; created with the first result.

    Raises:
        StsError: the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._values: dict[str, Value] = {}
        self._open()

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def __getitem__(self, key: str) -> Value:
        return self._values[key]

    def __len__(self) -> int:
        return len(self._values)

    def __setitem__(self, key: str, value: Value) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(_line(key, value))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise _unusable(self.path, error) from None
        self._values[key] = value

    def _open(self) -> None:
        """Read the complete lines; write the file anew if it has others."""
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unusable(self.path, error) from None
        lines = raw.split(b"\n")
        found = [entry for entry in map(_parse, lines[:-1]) if entry]
        self._values = dict(found)
        if lines[-1] or len(found) < len(lines) - 1:
            write_bytes(self.path, b"".join(_line(key, value) for key, value in found))


def _line(key: str, value: Value) -> bytes:
    return json.dumps({"key": key, "value": null_for_nan(value)}).encode() + b"\n"


def _parse(line: bytes) -> tuple[str, Value] | None:
    """Key and value, or None if the line is incomplete."""
    try:
        entry = parse_json(line)
        key, value = entry["key"], entry["value"]
    except (ValueError, KeyError, TypeError):
        return None
    return (key, _nan_for_null(value)) if isinstance(key, str) and isinstance(value, dict) else None


def _nan_for_null(value: Any) -> Any:
    """The inverse of :func:`null_for_nan`."""
    if isinstance(value, dict):
        return {key: _nan_for_null(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_nan_for_null(inner) for inner in value]
    return math.nan if value is None else value


def _unusable(path: Path, error: OSError) -> StsError:
    return StsError(
        f"{path}: cannot be used ({error.strerror}); remove it or choose another --output"
    )


def each_once(
    function: Callable[[Item], Value],
    items: Sequence[Item],
    ledger: Ledger,
    key: Callable[[Item], str],
    *,
    jobs: int,
    label: str,
    unit: str,
) -> dict[Item, Value]:
    """The value of every item: from the ledger, or computed now and put there at once.

    Args:
        function: makes a value that JSON can hold.
        items: its arguments; equal ones are computed once.
        ledger: where values are looked up and added.
        key: of an item: a digest of everything that its value depends on.
        jobs, label, unit: see :func:`runs.studies.workers.each`.
    """
    keys = {item: key(item) for item in items}
    todo = [item for item in keys if keys[item] not in ledger]
    if todo:
        if kept := len(keys) - len(todo):
            label = f"{label} ({kept} kept)"
        for item, value in each(function, todo, jobs, label=label, unit=unit):
            ledger[keys[item]] = value
    return {item: ledger[keys[item]] for item in keys}
