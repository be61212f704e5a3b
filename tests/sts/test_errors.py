"""Warnings for users."""

from __future__ import annotations

import pytest

from semaniacs.sts.errors import warn_caller


@pytest.mark.parametrize("module", [{}, {"__name__": "semaniacs_of_mine"}])
def test_a_warning_names_a_line_of_the_user(module: dict[str, object]) -> None:
    code = compile("\nwarn('careful')", "theirs.py", "exec")
    with pytest.warns(UserWarning, match="careful") as warned:
        exec(code, {"warn": warn_caller, **module})
    assert [(one.filename, one.lineno) for one in warned] == [("theirs.py", 2)]
