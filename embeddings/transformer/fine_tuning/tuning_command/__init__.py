"""The command ``tune``: a person's own pairs, a transformer, and whether training it helped."""
