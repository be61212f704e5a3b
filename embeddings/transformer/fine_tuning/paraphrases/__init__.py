"""Training on pairs that mean the same, against negatives: of the batch, given, and searched for."""
