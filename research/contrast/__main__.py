"""``python -m research.contrast`` trains the reader on pairs that look alike."""

from research.contrast.training import contrast
from research.study import run_study

run_study(contrast)
