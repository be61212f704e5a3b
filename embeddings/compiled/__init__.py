"""The tokenizers and the mean of rows, compiled with Numba."""
