"""A small BERT in JAX: its network and where its weights are found."""
