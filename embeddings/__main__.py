"""Programs that have moved to ``semaniacs``."""

import sys

from sts.command_line import moved

moved(f"semaniacs {' '.join(sys.argv[1:2])}".strip())
