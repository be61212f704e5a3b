"""Studies of a run: ablation, importance, model selection, unknown words, language overlap."""
