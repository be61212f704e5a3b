"""Records that recipes are composed of, and the ways of reading sentences."""
