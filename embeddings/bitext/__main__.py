"""Old name of ``semaniacs bitext``."""

from semaniacs.sts.command_line import moved

if __name__ == "__main__":
    moved("semaniacs bitext")
