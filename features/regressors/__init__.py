"""Regressors from a matrix of features to scores, and Shapley values that explain a score."""
