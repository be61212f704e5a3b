"""Runs that score by a transformer: as it comes, or trained on the pairs that a task allows."""
