"""The runs, one file a paper."""
