"""Every registered feature: by hand once, and what must hold of all of them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from features.extractor import PAPER_COLUMNS
from features.registry import Batch, Feature, all_features, columnwise, get_feature, pairwise
from features.resources import Resources
from sts.errors import UnknownNameError
from sts.text import Sentence, analyse

NAMES = [feature.name for feature in all_features()]
RED_CATS = "A big red cat sat", "The big red cat"

# Information of "cat" and "dog": wordfreq's English Zipf values are 4.78 and 5.10,
# and a Zipf value is log₁₀ of the frequency in a thousand million words.
CAT = (9 - 4.78) * math.log(10)
DOG = (9 - 5.10) * math.log(10)

BY_HAND = {
    # {3, 1200} and {3}: 2 + 1 numbers; half of the left is shared, all of the right
    "number_count": ("3 cats and 1,200 dogs", "3 cats", math.log(4)),
    "number_match": ("3 cats and 1,200 dogs", "3 cats", 2 * 0.5 * 1 / 1.5),
    "number_subset": ("3 cats and 1,200 dogs", "3 cats", 1.0),
    # {New, York} and {York}; the first word does not count
    "case_count": ("In New York it rains", "It rains in York", math.log(4)),
    "case_match": ("In New York it rains", "It rains in York", 2 * 0.5 * 1 / 1.5),
    # {.DJI, .IXIC} and {.DJI}
    "stock_count": (".DJI and .IXIC fell", "The .DJI fell", math.log(4)),
    "stock_match": (".DJI and .IXIC fell", "The .DJI fell", 2 * 0.5 * 1 / 1.5),
    # big red cat sat, big red cat: 3 of 4 and 3 of 3 words, 2 of 3 and 2 of 2 bigrams,
    # 1 of 2 and 1 of 1 trigrams
    "content_1gram": (*RED_CATS, 2 * (3 / 4) / (3 / 4 + 1)),
    "content_2gram": (*RED_CATS, 2 * (2 / 3) / (2 / 3 + 1)),
    "content_3gram": (*RED_CATS, 2 * (1 / 2) / (1 / 2 + 1)),
    # the same, although only the lemmas agree
    "lemma_1gram": ("A big red cat sat", "The big red cats", 2 * (3 / 4) / (3 / 4 + 1)),
    "lemma_2gram": ("A big red cat sat", "The big red cats", 2 * (2 / 3) / (2 / 3 + 1)),
    "lemma_3gram": ("A big red cat sat", "The big red cats", 2 * (1 / 2) / (1 / 2 + 1)),
    # dog–canine–carnivore–feline–cat: four steps, 1/5; sleep with itself 1; mean 0.6
    "wn_sim_match": ("The dog slept", "The cat slept", 0.6),
    # shared: cat; of the left CAT/(CAT + DOG), of the right all
    "weighted_word_match": ("cat dog", "cat", 2 * CAT / (2 * CAT + DOG)),
    "weighted_lemma_match": ("the cats and dogs", "a cat", 2 * CAT / (2 * CAT + DOG)),
    # unit vectors (1, 0) + (0, 1) against (1, 0)
    "dist_sim": ("the cats and dogs", "a cat", 1 / math.sqrt(2)),
    # (CAT, DOG) against (CAT, 0)
    "weighted_dist_sim_news": ("the cat and dog", "a cat", CAT / math.hypot(CAT, DOG)),
    # CAT·(1, 0) + DOG·(0.6, 0.8) against (CAT, 0)
    "weighted_dist_sim_daily": (
        "the cat and dog",
        "a cat",
        (CAT + 0.6 * DOG) / math.hypot(CAT + 0.6 * DOG, 0.8 * DOG),
    ),
    # 4 and 3 content words
    "relative_len_difference": (*RED_CATS, 1 / 4),
    # CAT + DOG and CAT
    "relative_ic_difference": ("cat dog", "cat", DOG / (CAT + DOG)),
    # (1, 0) and (0.6, 0.8)
    "paraphrase1": ("Cat!", "dog", 0.6),
    # the mean of (1, 0) and (0, 1) is (0.5, 0.5)
    "paraphrase2": ("Cat, dog", "cat", 1 / math.sqrt(2)),
    # (CAT, DOG) against (CAT, 0)
    "cosine_icf": ("cat dog", "cat", CAT / math.hypot(CAT, DOG)),
    # counts (2, 1) and (1, 0)
    "cosine": ("cat cat dog", "cat", 2 / math.sqrt(5)),
    # best cosines: cat 0, raised to the floor 0.05; dog 0.8; ship 0.8
    "product_w2v": ("cat dog", "ship", (0.05 * 0.8 * 0.8) ** (1 / 3)),
    # nouns (1, 0) and (0.6, 0.8); verbs (0, 1) and (3, 4)
    "nn_w2v": ("The cat sleeps", "The dog runs", 0.6),
    "vb_w2v": ("The cat sleeps", "The dog runs", 0.8),
    # (1, 0) + (0, 2) against (1, 0): lengths count here
    "sum_w2v": ("the cat and a ship", "the cat", 1 / math.sqrt(5)),
    # {the, his} and {the, a}: one of two and two shared
    "det_1": ("The cat saw his dog", "The cat saw a dog", 2 * 1 / (2 + 2)),
    # 2 and 1
    "det_2": ("The cat saw his dog", "The cat slept", 1 / 2),
}


def test_every_feature_is_computed_by_hand() -> None:
    assert set(BY_HAND) == set(NAMES) == set(PAPER_COLUMNS)


@pytest.mark.parametrize("name", NAMES)
def test_by_hand(
    name: str, value: Callable[[str, str, str], float], request: pytest.FixtureRequest
) -> None:
    if "wordnet" in get_feature(name).needs:
        request.getfixturevalue("wordnet")
    left, right, expected = BY_HAND[name]
    assert value(name, left, right) == pytest.approx(expected, abs=1e-6)
    assert value(name, right, left) == pytest.approx(expected, abs=1e-6)


# What must hold of all

NASTY = [
    "", " ", "!!!", "...", "😀 👍🏽", "汉字", "ﬁn ½ ２", "e\u0301tude", "a\u2028b", "\ud800",
    "\0", "_",
    "1.2.3", "0", "0.4", "1,200", "1" * 400, "2" * 400, "٣", "U.S.", ".DJI", ".", "n't", "'s", "//",
    "x" * 300, "the of", "İ", "ß", "\u200b",
]  # fmt: skip
PLAIN = (
    "the a his cat cats dog Dog ship port sleeps runs ran quickly red New York not 7 65.2 is , ."
).split()
SENTENCES = st.one_of(
    st.lists(st.sampled_from(PLAIN), max_size=9).map(" ".join),
    st.lists(st.sampled_from(PLAIN + NASTY), max_size=6).map(" ".join),
    st.text(max_size=12),
)

repeatable = settings(derandomize=True, deadline=None, database=None, max_examples=60)


def present(tiny: Resources) -> list[Feature]:
    return [f for f in all_features() if not any(map(tiny.missing, f.needs))]


def columns(tiny: Resources, left: list[str], right: list[str]) -> dict[str, np.ndarray]:
    analysed = analyse([*left, *right])
    batch = Batch([analysed[s] for s in left], [analysed[s] for s in right], tiny)
    return {f.name: f.compute(batch) for f in present(tiny)}


def check_pair(tiny: Resources, left: str, right: str) -> None:
    for name, (value, mirrored) in columns(tiny, [left, right], [right, left]).items():
        feature = get_feature(name)
        assert math.isfinite(value), name
        assert value == pytest.approx(mirrored, abs=1e-9), name
        assert feature.low - 1e-12 <= value <= feature.high + 1e-12, name


@repeatable
@given(SENTENCES, SENTENCES)
@example("1" * 400, "2" * 400)
def test_features_are_symmetric_finite_and_in_range(tiny: Resources, left: str, right: str) -> None:
    check_pair(tiny, left, right)


@pytest.mark.parametrize("left", NASTY, ids=ascii)
def test_nasty_sentences(tiny: Resources, left: str) -> None:
    for right in ("", left, "The cat saw 3 dogs in New York."):
        check_pair(tiny, left, right)


ALWAYS_ONE = {
    "number_match", "case_match", "stock_match", "wn_sim_match", "det_1",
    "content_1gram", "content_2gram", "content_3gram", "lemma_1gram", "lemma_2gram", "lemma_3gram",
    "product_w2v", "nn_w2v", "vb_w2v", "sum_w2v",
}  # fmt: skip
ALWAYS_ZERO = {"relative_len_difference", "relative_ic_difference", "det_2"}
ONE_WITH_WORDS = {"weighted_word_match", "cosine", "cosine_icf", "paraphrase1", "paraphrase2"}
ONE_WITH_KNOWN_WORDS = {"dist_sim", "weighted_dist_sim_news", "weighted_dist_sim_daily"}
COUNTS = {"number_count", "case_count", "stock_count"}


def expected_of_the_same(name: str, sentence: Sentence, tiny: Resources) -> float:
    """The value of a feature, no count, of a sentence with itself."""
    if name in ALWAYS_ONE:
        return 1.0
    if name in ALWAYS_ZERO:
        return 0.0
    if name in ONE_WITH_WORDS:
        return float(bool(sentence.words))
    if name == "weighted_lemma_match":
        return float(bool(sentence.lemmas))
    if name == "number_subset":
        return float(any(token[0].isdecimal() for token in sentence.words))
    assert name in ONE_WITH_KNOWN_WORDS
    space = tiny.spaces[get_feature(name).needs[0]]
    said = sentence.lemmas if name == "dist_sim" else sentence.content
    return float(any(word in space for word in said))


@repeatable
@given(st.lists(st.sampled_from([*PLAIN, "😀", "½"]), max_size=9).map(" ".join))
@example("")
@example("the of")
@example("!!!")
def test_identical_sentences_have_the_highest_match(tiny: Resources, text: str) -> None:
    sentence = analyse([text])[text]
    for name, (value,) in columns(tiny, [text], [text]).items():
        if name not in COUNTS:
            expected = expected_of_the_same(name, sentence, tiny)
            assert value == pytest.approx(expected, abs=1e-9), name


def test_a_column_is_its_pairs_one_by_one(tiny: Resources) -> None:
    left, right = PLAIN * 2, [*PLAIN[3:], *NASTY, *PLAIN][: len(PLAIN) * 2]
    together = columns(tiny, left, right)
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        for name, alone in columns(tiny, [a], [b]).items():
            assert together[name][i] == pytest.approx(alone[0], abs=1e-12), name


def test_no_pairs_no_values(tiny: Resources) -> None:
    assert {column.shape for column in columns(tiny, [], []).values()} == {(0,)}


# The registry itself


def test_every_feature_says_what_it_is() -> None:
    for feature in all_features():
        assert feature.group
        assert feature.source
        assert feature.low < feature.high


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match="'cosine' is registered twice"):
        columnwise("cosine", "bag", "test")(lambda batch: np.zeros(len(batch)))
    with pytest.raises(ValueError, match="'det_1' is registered twice"):
        pairwise("det_1", "bag", "test")(lambda a, b: 0.0)
    assert [feature.name for feature in all_features()] == NAMES


def test_an_unknown_name_lists_the_names_there_are() -> None:
    with pytest.raises(UnknownNameError, match="'cosin'; choose one of: .*cosine_icf"):
        get_feature("cosin")


def test_a_feature_has_its_name() -> None:
    assert all(get_feature(name).name == name for name in NAMES)
