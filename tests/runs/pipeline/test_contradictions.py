"""Contradictions between two texts, sentence by sentence."""

from __future__ import annotations

import pytest

from semaniacs.runs.pipeline.contradictions import contradictions_of, differences_of
from semaniacs.runs.scorer import load

REFERENCE = (
    "The mill was built in 1890 by two brothers from Leeds. Visitors cannot enter in winter, but "
    "schools may book a tour. Dr. Hale runs the small museum next door, which costs 6 pounds. "
    "The committee recommended approval by seven votes to two."
)
PARAPHRASE = (
    "Two brothers from Leeds built the mill in 1890. It is impossible for visitors to enter in "
    "winter, though a tour can be booked by schools. The little museum next door is run by Dr. Hale "
    "and costs £6. By seven votes to two the committee recommended approval."
)


def told(model: str, left: str, right: str) -> tuple[str, ...]:
    there, back = (
        contradictions_of(load(model).model, *([text] for text in pair))
        for pair in ((left, right), (right, left))
    )
    assert bool(there[0]) == bool(back[0])
    return there[0]


@pytest.mark.parametrize("model", ["fusion", "contextual"])
def test_nothing_contradicts_in_the_same_text(model: str) -> None:
    assert told(model, REFERENCE, REFERENCE) == ()
    assert told(model, "", "") == ()


def test_a_network_knows_that_a_long_text_says_the_same() -> None:
    assert told("contextual", PARAPHRASE, REFERENCE) == ()


@pytest.mark.parametrize("model", ["fusion", "contextual"])
@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("1890", "1980", "1980 ≠ 1890"),
        ("£6", "£16", "£16 ≠ 6 pounds"),
        ("built", "demolished", "demolished ↔ built"),
        ("seven votes to two", "two votes to seven", "two ↔ seven"),
    ],
)
def test_one_wrong_fact_of_a_long_text_is_told(
    model: str, right: str, wrong: str, says: str
) -> None:
    assert says in " ".join(told(model, PARAPHRASE.replace(right, wrong), REFERENCE))


@pytest.mark.parametrize("model", ["fusion", "contextual"])
def test_rows_that_are_mixed_are_told(model: str) -> None:
    rows = "Water: 100 °C\nEthanol: 78 °C"
    assert told(model, "- Ethanol = 78 °C\n- Water = 100 °C", rows) == ()
    assert "“Ethanol = 100 " in told(model, "- Ethanol = 100 °C\n- Water = 78 °C", rows)[0]
    assert (
        told(model, "1. Open it.\n2. Turn on two locks.", "Open it, and turn on two locks.") == ()
    )
    assert told(model, "Python: 3.12 or newer", "Python 3.11 or newer") != ()


def test_a_list_may_go_on_in_another_sentence() -> None:
    listed = "The kit contains a saw, a hammer and nails."
    assert told("fusion", listed, "The kit contains a saw and a hammer. It also has nails.") == ()
    said = told("fusion", listed, "The kit contains a saw and a hammer. It also has glue.")
    assert said == ("Only the first lists: nails.",)


def test_a_network_tells_what_no_rule_knows() -> None:
    pair = ("We left early. The soup tastes spicy.", "The soup tastes bland. We went early.")
    (said,) = told("contextual", *pair)
    assert said == "The words differ: spicy ≠ bland."
    pairs = {
        "At night plants release oxygen.": "At night plants absorb oxygen.",
        "Yes, you can pay by invoice.": "Unfortunately, paying by invoice isn't possible.",
    }
    found = [told("contextual", *pair) for pair in pairs.items()]
    assert found[0] == ("The words differ: release ≠ absorb.",)
    assert found[1][0].startswith("Something else is said: “Yes, you can pay by invoice” ≠ ")
    assert told("contextual", "A man is driving a car.", "A man drives a car.") == ()
    more = "It is closed on Mondays. There are tours on Thursdays."
    assert told("contextual", "It is closed on Mondays.", more) == ()
    assert told("fusion", *pair) == ()
    limited = "We call if you agree. It is free."
    assert told("contextual", limited, "We call. That is only if you agree. It is free.") == ()


def test_without_a_contradiction_the_words_of_one_side_are_told() -> None:
    pair = ("A man plays chess.", "A man plays chess outside.")
    (found,) = differences_of(load("fusion").model, *([text] for text in pair))
    assert found == ("Only the second has: outside.",)
    more = f"{REFERENCE} All customers get a free voucher."
    (found,) = differences_of(load("fusion").model, [more], [REFERENCE])
    assert found == ("Only the first says: “All customers get a free voucher”.",)


@pytest.mark.parametrize("model", ["fusion", "contextual"])
@pytest.mark.parametrize("question", ["Does that help?", "Would you like me to track it?"])
def test_a_text_may_end_in_a_question(model: str, question: str) -> None:
    assert told(model, f"It arrives on Monday. {question}", "It arrives on Monday.") == ()
    assert told(model, "Does it arrive on Monday?", "It arrives on Monday.") != ()
