"""Small networks over the aligned words of a transformer that stays as it is."""
