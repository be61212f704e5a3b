"""How every command line of the project ends: 0, or one message and 2."""

from __future__ import annotations

import sys
from collections.abc import Callable

from sts.errors import StsError


def run_tool(main: Callable[[], None]) -> None:
    """Run ``main``; an :class:`StsError` becomes one line on stderr and exit code 2."""
    try:
        main()
    except StsError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("stopped; nothing half-written is left behind", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:  # the reader of a pipe, such as head, has seen enough
        sys.stderr.close()
        sys.exit(0)
