"""Apertium, a rule-based translator that needs no network."""
