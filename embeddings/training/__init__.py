"""Training: configuration, one loop, checkpoints, losses, negatives, optimizers."""
