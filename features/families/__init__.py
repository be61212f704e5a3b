"""The features, one family a file."""
