"""Items of a list that the other side leaves out."""

from __future__ import annotations

import pytest

from semaniacs.features.families.lists import list_conflict, list_differences
from semaniacs.sts.text.analysis import analyse


@pytest.mark.parametrize(
    ("left", "right", "told"),
    [
        (
            "It runs on Linux and macOS.",
            "It runs on Linux, macOS and Windows.",
            "second lists: Windows",
        ),
        (
            "Pay by card, PayPal or bank transfer.",
            "Pay by card or PayPal.",
            "first lists: bank transfer",
        ),
        ("Allergens: milk, soy, peanuts.", "Allergens: milk, soy.", "first lists: peanuts"),
        (
            "Bring a visa and your passport.",
            "Bring your passport, visa and ticket.",
            "second lists: ticket",
        ),
        ("A pen, paper, and a ruler.", "A pen and paper.", "first lists: a ruler"),
        ("Ana, Ben, Carla and Dev came.", "Dev and Ana have come.", "first lists: Ben, Carla"),
        ("Ana, Ben and Carla came.", "Ben, Carla and Ana came.", None),
        ("Ana, Ben and Carla came.", "Ana came. Ben and Carla came too.", None),
        ("Ana and Ben came.", "Ana came.", None),
        ("They are ignorant, poor and sick.", "They are uncultivated, poor and sick.", None),
        ("After lunch, Tom sang and danced.", "After lunch, Tom sang.", None),
        ("and , or", "and, or", None),
    ],
)
def test_what_one_side_alone_lists(left: str, right: str, told: str | None) -> None:
    pair = [analyse([left, right])[text] for text in (left, right)]
    assert list_differences(*pair) == ([f"only the {told}"] if told else [])
    assert list_conflict(*pair) == list_conflict(*pair[::-1]) == float(told is not None)
