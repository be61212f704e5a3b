"""The features, one family per file.

A file here is found by being here, and registers its features when the registry imports it.
``docs/extending.md`` says how to add one.
"""

TAKELAB = "Šarić et al. (2012), TakeLab"
DCU = "Hokamp and Arora (2016), Table 6"

MANY = 6.0
"""Upper end of the range of log counts: no sentence of the task has e⁶ ≈ 400 numbers or names."""
