"""WordNet as arrays, and their cache."""
