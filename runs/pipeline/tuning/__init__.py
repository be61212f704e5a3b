"""Encoders tuned on training pairs: which pairs, in which stages, and out of fold."""
