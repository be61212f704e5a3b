"""Training on pairs that mean the same: where they come from, their order, the objective."""
