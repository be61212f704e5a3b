"""Old name of ``semaniacs cache``."""

from semaniacs.sts.command_line import moved

if __name__ == "__main__":
    moved("semaniacs cache")
