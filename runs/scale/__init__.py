"""Scoring, encoding and mining over many files, on one machine or a cluster, by Ray Data."""
