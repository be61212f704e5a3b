"""Word spaces trained by us: their training and their data."""
