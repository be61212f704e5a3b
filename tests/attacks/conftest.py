"""The profile of ``make attacks``; without it the tests are a sample."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("attacks", max_examples=8000, deadline=None)
