"""Rows of two texts: the same ones in another order and form, and values of two rows exchanged."""

from __future__ import annotations

import pytest

from semaniacs.features.contradictions.rows import rows_exchanged

SAME = [
    ("Water: 100 °C\nEthanol: 78 °C", "| substance | boils at |\n|---|---|\n| ethanol | 78 °C |\n| water | 100 °C |"),
    ("Alice pays 30 euros, Bob 20.", "Bob pays 20 and Alice 30 euros."),
    ("- Yes: 55 %\n- No: 35 %", "No = 35 %\nYes = 55 %"),
    ("Ann and Bob went to Rome, Oslo and Bonn.", "Bob and Ann went to Bonn, Rome and Oslo."),
    ("In March, the firm sold bikes, and boats in May.", "The firm sold bikes in March, and in May boats."),
    ("A dog runs.", "A dog is running."),
    ("", "Water: 100 °C\nEthanol: 78 °C"),
]  # fmt: skip
MIXED = [
    ("Water: 100 °C\nEthanol: 78 °C", "* Ethanol: 100 °C\n* Water: 78 °C", "Water: 100 °C", "Water: 78 °C"),
    ("Alice pays 30 euros, Bob 20.", "Bob pays 30 and Alice 20 euros.", "Alice pays 30 euros", "Alice 20 euros"),
    ("- Yes: 55 %\n- No: 35 %", "No = 55 %\nYes = 35 %", "Yes: 55 %", "Yes = 35 %"),
    ("proton: +1, electron: -1", "proton: -1, electron: +1", "proton: +1", "electron: +1"),
    ("SSH: 22\nHTTP: 80\nHTTPS: 443", "HTTPS is 22, HTTP is 443 and SSH is 80.", "SSH: 22", "SSH is 80"),
    ("Loan A costs 4 %; loan B costs 5 %.", "Loan B costs 4 %; loan A costs 5 %.", "Loan A costs 4 %", "loan A costs 5 %"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), SAME)
def test_rows_may_stand_in_another_order_and_form(left: str, right: str) -> None:
    assert rows_exchanged(left, right) is None
    assert rows_exchanged(right, left) is None
    assert rows_exchanged(left, left) is None


@pytest.mark.parametrize(("left", "right", "row", "other"), MIXED)
def test_values_of_another_row_are_told(left: str, right: str, row: str, other: str) -> None:
    assert rows_exchanged(left, right) == f"The rows differ: “{row}” ≠ “{other}”."
    assert rows_exchanged(right, left) is not None
