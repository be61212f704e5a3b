"""Pairs in several processes; many files on Ray: ``semaniacs scale``."""
