"""Translation by Apertium, by services on the network, or from a recording.

:func:`get_translator` makes a translator by name. Every translation is stored in a memory, and a
text is never sent twice. ``semaniacs translate`` is the command line.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from semaniacs.sts.errors import StsError, UnknownNameError
from semaniacs.sts.translation.apertium import Apertium
from semaniacs.sts.translation.chain import Chain, Link
from semaniacs.sts.translation.engines import ENGINES, open_engine
from semaniacs.sts.translation.memory import CachedTranslator, TranslationMemory
from semaniacs.sts.translation.recorded import Recorded, read_recorded
from semaniacs.sts.translation.translator import Translation, TranslationError, Translator

__all__ = [
    "BUNDLED",
    "DEFAULT",
    "MEMORY_FILE",
    "TRANSLATORS",
    "Apertium",
    "CachedTranslator",
    "Chain",
    "Recorded",
    "Translation",
    "TranslationError",
    "TranslationMemory",
    "Translator",
    "check_name",
    "get_translator",
    "read_recorded",
]

DEFAULT = "apertium"  # the memory, then Apertium

TRANSLATORS = (DEFAULT, "memory", "recorded", *ENGINES)
"""The names for :func:`get_translator`; several with commas between them are a chain."""

BUNDLED = Path(__file__).with_name("bundled.jsonl")
"""Translations that come with the project: read only, and searched first."""

MEMORY_FILE = "translations.jsonl"
"""File of the user's own memory, in the folder given to :func:`get_translator`."""


def get_translator(
    name: str | None,
    *,
    memory_folder: Path,
    recorded: Mapping[str, str] | None = None,
) -> Translator:
    """Return the translator called ``name``; nothing is read or called before it translates.

    Args:
        name: one of :data:`TRANSLATORS`; None is :data:`DEFAULT`. ``memory`` serves
            the stored translations of Apertium, and calls nothing. Several names, such as
            ``google,apertium``, are a :class:`.Chain`.
        memory_folder: contains the user's own ``translations.jsonl``; need not exist.
        recorded: Spanish to English, for ``recorded``; see :func:`read_recorded`.

    Raises:
        UnknownNameError: there is no such translator.
        StsError: ``recorded`` is chosen but no recording is given, or a setting in the
            environment is not valid.
    """
    memories = TranslationMemory(BUNDLED), TranslationMemory(memory_folder / MEMORY_FILE)

    def open_one(one: str) -> Link:
        if one == "recorded":
            if recorded is None:
                raise StsError(
                    "no recorded translations were given; choose a task that comes with some "
                    f"(2016-es-en does), or another translator: {', '.join(TRANSLATORS)}"
                )
            return Recorded(recorded)
        provider = open_engine(one) if one in ENGINES else Apertium()
        return CachedTranslator(provider, *memories, live=one != "memory")

    links = [open_one(one) for one in check_name(name)]
    return links[0] if len(links) == 1 else Chain(links)


def check_name(name: str | None) -> tuple[str, ...]:
    """Return the names in ``name``, which may be a chain such as ``google,apertium``.

    An unknown name is an UnknownNameError; the same one twice is a StsError.
    """
    names = tuple(part.strip() for part in (DEFAULT if name is None else name).split(","))
    for one in names:
        if one not in TRANSLATORS:
            raise UnknownNameError("translator", one, TRANSLATORS)
    if len(set(names)) < len(names):
        raise StsError(f"translator {name!r} names one twice; name each once")
    return names
