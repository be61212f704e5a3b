"""From a matrix of features to scores, and why."""
