"""What a score is worth: maps to a person's own gold, thresholds with a guarantee, intervals."""
