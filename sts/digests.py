"""Hashes of values: records, numbers, texts and arrays, by the JSON that represents them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from hashlib import sha256
from typing import Any

import numpy as np


def digest(value: object) -> str:
    """Return the hexadecimal sha256 of the canonical JSON of a value, see :func:`canonical`."""
    text = json.dumps(canonical(value), sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def canonical(value: object) -> Any:
    """Return a value as JSON holds it; equal values give equal JSON.

    A dataclass becomes its fields by name. Two kinds of fields are left out: those at a neutral
    default (None, False, zero or empty), so that a field that is added later changes no digest,
    and those with ``metadata={"identity": False}``, such as descriptions. Arrays and bytes are
    represented by their hash.

    Raises:
        TypeError: there is no canonical form, as for a set or an object.
    """
    found: Any
    match value:
        case None | bool() | int() | float() | str():
            found = value
        case Mapping():
            found = {str(name): canonical(inner) for name, inner in value.items()}
        case list() | tuple():
            found = [canonical(inner) for inner in value]
        case bytes():
            found = {"sha256": sha256(value).hexdigest()}
        case np.generic():
            found = value.item()
        case np.ndarray():
            numbers = sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
            found = {"shape": list(value.shape), "type": value.dtype.str, "sha256": numbers}
        case _ if is_dataclass(value) and not isinstance(value, type):
            read = ((field, getattr(value, field.name)) for field in fields(value))
            found = {field.name: canonical(inner) for field, inner in read if _counts(field, inner)}
        case _:
            raise TypeError(f"{type(value).__name__} has no canonical form")
    return found


def _counts(field: Field[Any], value: object) -> bool:
    if not field.metadata.get("identity", True):
        return False
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    neutral = default is None or (
        isinstance(default, bool | int | float | str | tuple) and not default
    )
    return not (neutral and type(value) is type(default) and value == default)
