"""Old name of ``semaniacs translate``."""

from semaniacs.sts.command_line import moved

if __name__ == "__main__":
    moved("semaniacs translate")
