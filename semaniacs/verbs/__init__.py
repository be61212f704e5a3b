"""The verbs of the command that are programs of their own, a file each."""
