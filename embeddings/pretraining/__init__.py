"""How the bundled vectors are made: distilled from a transformer, then tuned on paraphrases."""
