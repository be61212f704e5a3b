"""One HTML page about a run on a task."""
