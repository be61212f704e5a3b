"""Recipes: a run is a frozen, named recipe; a file per paper."""
