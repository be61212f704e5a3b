"""Masked language modelling: a transformer learns from raw text (Devlin et al., 2019, 3.1)."""
