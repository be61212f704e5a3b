"""Translation: a memory of everything translated before, then whoever can be asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sts.errors import StsError, UnknownNameError
from sts.translation.apertium import Apertium
from sts.translation.memory import TranslationMemory
from sts.translation.online import ENGINES, Online
from sts.translation.recorded import Recorded, read_recorded
from sts.translation.remembered import Remembered
from sts.translation.translator import (
    MissingTranslationsError,
    Provider,
    Translation,
    TranslationError,
    Translator,
    round_trip,
)

__all__ = [
    "BUNDLED",
    "DEFAULT",
    "TRANSLATORS",
    "Apertium",
    "MissingTranslationsError",
    "Online",
    "Provider",
    "Recorded",
    "Remembered",
    "Translation",
    "TranslationError",
    "TranslationMemory",
    "Translator",
    "get_translator",
    "read_recorded",
    "round_trip",
]

DEFAULT = "apertium"
"""The memory, then Apertium."""

TRANSLATORS = (DEFAULT, "memory", "recorded", *ENGINES)
"""The names :func:`get_translator` knows."""

BUNDLED = Path(__file__).with_name("bundled.jsonl")
"""Translations that come with the project; read only, and looked up first."""


def get_translator(
    name: str | None, *, memory_folder: Path, recorded: Mapping[str, str] | None = None
) -> Translator:
    """The translator of that name; nothing is read or called before it translates.

    Args:
        name: one of :data:`TRANSLATORS`; None is :data:`DEFAULT`. ``memory`` serves
            Apertium's translations that are stored already, and calls nothing.
        memory_folder: holds the person's own ``translations.jsonl``; need not exist.
        recorded: Spanish to English, for ``recorded``; see :func:`read_recorded`.

    Raises:
        UnknownNameError: there is no such translator.
        StsError: ``recorded`` is chosen but no recording is given.
    """
    name = DEFAULT if name is None else name
    if name not in TRANSLATORS:
        raise UnknownNameError("translator", name, TRANSLATORS)
    if name == "recorded":
        if recorded is None:
            raise StsError(
                "no recorded translations were given; choose a task that comes with some "
                f"(2016-es-en does), or another translator: {', '.join(TRANSLATORS)}"
            )
        return Recorded(recorded)
    memories = (TranslationMemory(BUNDLED), TranslationMemory(memory_folder / "translations.jsonl"))
    if name in ENGINES:
        return Remembered(Online(name), *memories)
    return Remembered(Apertium(), *memories, live=name != "memory")
