"""Progress bars: on stderr, while the work lasts, and only where somebody watches."""

from __future__ import annotations

from functools import partial

from tqdm import tqdm

bar = partial(tqdm, leave=False, disable=None)
"""A tqdm bar that goes when the work is done, and that no file gets to see."""
