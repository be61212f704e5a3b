"""An old program; ``semaniacs report`` replaces it."""

from sts.command_line import moved

if __name__ == "__main__":
    moved("semaniacs report")
