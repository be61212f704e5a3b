"""How the words of two sentences are ordered: what was moved, and what was traded."""
