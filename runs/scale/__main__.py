"""An old program."""

from sts.command_line import moved

moved("semaniacs scale")
