"""Text to vectors. Knows no task."""
