"""The translation services that can be chosen by name, one file each.

A file ``NAME.py`` in this folder makes ``--translator NAME`` work; it assigns its subclass of
:class:`.OnlineProvider` to ``PROVIDER``. ``docs/extending.md`` shows how.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from semaniacs.sts.translation.online import OnlineProvider

ENGINES = tuple(module.name for module in pkgutil.iter_modules(__path__))
"""The names of all services, in alphabetical order."""


def open_engine(name: str) -> OnlineProvider:
    """Return the service called ``name``, with the settings of the environment."""
    provider: type[OnlineProvider] = import_module(f"{__name__}.{name}").PROVIDER
    return provider()
