"""Apertium, a rule-based translator that needs no network.

Forcada et al. (2011), Apertium: a free/open-source platform for rule-based machine translation.
https://doi.org/10.1007/s10590-011-9090-0
"""

from sts.translation.apertium.providers import Apertium

__all__ = ["Apertium"]
