"""``python -m semaniacs`` is the command ``semaniacs``."""

from semaniacs.cli import main

main()
