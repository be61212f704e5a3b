"""What organisers of a task need: gold, what teams hand in, and a ranking of it."""
