"""A pair to named numbers, and the numbers to one score."""
