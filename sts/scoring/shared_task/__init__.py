"""Tools for organisers of a task: gold, submissions, and their ranking."""
