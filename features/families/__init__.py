"""The features, one family a file.

A file here is found by being here: the registry imports it, and it registers its features.
``docs/extending.md`` says how to add one.
"""

TAKELAB = "Šarić et al. (2012), TakeLab"
DCU = "Hokamp and Arora (2016), Table 6"

MANY = 6.0
"""Upper end of the range of log counts: no sentence of the task has e⁶ ≈ 400 numbers or names."""
