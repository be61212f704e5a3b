"""``python -m semaniacs`` is the command ``semaniacs``."""

from semaniacs.cli import main

if __name__ == "__main__":
    main()
