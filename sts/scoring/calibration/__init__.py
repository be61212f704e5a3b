"""Calibration: maps to a user's own gold, thresholds with a guarantee, intervals."""
