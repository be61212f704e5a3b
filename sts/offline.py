"""``SEMANIACS_OFFLINE=1`` forbids connections to everything that could open one."""

from __future__ import annotations

import os

from sts.errors import MissingResourceError

OFFLINE = "SEMANIACS_OFFLINE"


def check_online(needed_by: str, instead: str) -> None:
    """Refuse what needs a connection if the user forbids connections.

    Args:
        needed_by: what would open one.
        instead: what the user can do without.

    Raises:
        MissingResourceError: the variable is set, to anything but 0.
    """
    value = os.environ.get(OFFLINE, "")
    if value not in ("", "0"):
        raise MissingResourceError(
            f"{needed_by} needs a connection, which {OFFLINE}={value} forbids; "
            f"unset it, or {instead}"
        )
