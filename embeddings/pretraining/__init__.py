"""How the bundled vectors are made: distilled from a transformer, then tuned on paraphrases.

And how a transformer learns from raw text: :mod:`embeddings.pretraining.masked_language_model`.
"""
