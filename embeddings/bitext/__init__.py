"""Encoders learned from bitext: two languages, one space (Wieting et al., 2019).

On the command line: ``semaniacs bitext --help``.
"""
