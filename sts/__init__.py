"""The task: what a pair is, where it comes from, what a score means. Knows no model."""
