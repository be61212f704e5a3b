"""Old name of commands."""

import sys

from semaniacs.sts.command_line import moved

if __name__ == "__main__":
    moved(f"semaniacs {' '.join(sys.argv[1:2])}".strip())
