"""Contribution of the parts of a run: ablation, feature importance and the behaviour suite."""
