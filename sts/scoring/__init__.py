"""What a score is worth: correlations, intervals, comparisons, and the official files."""
