"""How the scores of a run are made: what conflicts take, and whether intervals hold."""
