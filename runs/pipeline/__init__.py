"""From a recipe to scores: load, translate, encode, extract, fit, predict, write."""
