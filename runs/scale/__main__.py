"""An old program; ``semaniacs scale`` replaces it."""

from sts.command_line import moved

if __name__ == "__main__":
    moved("semaniacs scale")
