"""Nearly every registered feature once by hand, in the tiny world of conftest.py."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from semaniacs.features.registry import all_features

# Each has tests of its own: test_any_language.py, test_order.py, test_russian.py.
ELSEWHERE = {"any_language", "order", "russian"}
NAMES = [feature.name for feature in all_features() if feature.group not in ELSEWHERE]
RED_CATS = "A big red cat sat", "The big red cat"


def nats(zipf: float) -> float:
    """Information of a word from its Zipf value, log₁₀ of the frequency in 10⁹ words."""
    return (9 - zipf) * math.log(10)


CAT, DOG, SAW, SLEEP = map(nats, (4.78, 5.10, 5.34, 5.05))
PARIS, LONDON = map(nats, (4.82, 5.27))

# The weights that uSIF gives to both words: a / (a/2 + p), a = 10⁻⁴ in the tiny world.
USIF_CAT, USIF_DOG = (1e-4 / (0.5e-4 + 10 ** (zipf - 9)) for zipf in (4.78, 5.10))

TAKELAB = {
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
}

DCU = {
    # (1, 0) and (0.6, 0.8)
    "paraphrase1": ("Cat!", "dog", 0.6),
    # the mean of (1, 0) and (0, 1) is (0.5, 0.5)
    "paraphrase2": ("Cat, dog", "cat", 1 / math.sqrt(2)),
    # (2 · CAT, DOG) against (CAT, 0)
    "cosine_icf": ("cat cat dog", "cat", 2 * CAT / math.hypot(2 * CAT, DOG)),
    # counts (2, 1) and (1, 0)
    "cosine": ("cat cat dog", "cat", 2 / math.sqrt(5)),
    # best cosines: cat 0, raised to the floor 0.05; dog 0.8; ship 0.8
    "product_w2v": ("the cat dog", "ship", (0.05 * 0.8 * 0.8) ** (1 / 3)),
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

COUNTED = {
    # {cat, dog} and {cat, two, ship}: one of the two on the smaller side
    "lemma_containment": ("cats and dogs", "a cat and two ships", 1 / 2),
    # CAT + DOG, which is less than CAT + TWO + SHIP
    "weighted_containment": ("cats and dogs", "a cat and two ships", CAT / (CAT + DOG)),
    # "the cat!" and "cat": 8 and 3 characters
    "relative_character_difference": ("The  cat!", "cat", 5 / 8),
    # three words on both sides together
    "information_density": ("cat dog", "cat", (2 * CAT + DOG) / 3),
    # 3 and 2 words
    "shorter_length": ("The cat saw", "The cat!", math.log(3)),
    # "cat" ca at; "cart" ca ar rt
    "character_2gram": ("Cat", "cart", 2 * 1 / (2 + 3)),
    # cat ats; cat
    "character_3gram": ("cats", "cat", 2 * 1 / (2 + 1)),
    # blanks count: "a ca" " cat"; and " cats" has "cats" too
    "character_4gram": ("a cat", "a  cats", 2 * 2 / (2 + 3)),
    "character_5gram": ("a cat", "a  cats", 2 * 1 / (1 + 2)),
    # cat: 3/3, 2/2, 1/1 of its n-grams are shared; cats: 3/4, 2/3, 1/2, which has mean 23/36;
    # cat has no 4-grams, and the orders from 4 on do not count
    "chrf": ("cat", "cats", 2 * (23 / 36) / (23 / 36 + 1)),
    # 3 equal in order: c, a, t; 2 · 3 / (3 + 4)
    "character_edits": ("cat", "cart", 6 / 7),
}

TRANSLATED = {
    # left as the candidate: 3/4, (2 + 1)/(3 + 1), (1 + 1)/(2 + 1), (0 + 1)/(1 + 1), it is longer;
    # right as the candidate: every precision is 1, and its brevity costs exp(1 − 4/3)
    "bleu": (
        "cats saw four dogs",
        "cats saw four",
        ((3 / 4 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4) + math.exp(1 - 4 / 3)) / 2,
    ),
    # "cat ship" or "cat dog": 2 · 2 / (3 + 4)
    "rouge_l": ("cat dog ship", "cat ship dog sat", 4 / 7),
    # "dog" falls away: 1 of 3
    "edit_rate": ("cat dog ship", "cat ship", 1 / 3),
    # all three words aligned, in two chunks: 1 − ½ · (2/3)³
    # c, d, s, cd, cs, ds and c, s, cs
    "skip_bigram": ("cat dog ship", "cat ship", 2 * 3 / (6 + 3)),
}

CAT_SAW = "The cat saw the dog", "A cat saw it"

BY_VECTORS = {
    # (1, 0) and (0.6, 0.8)
    "paragram": ("Cat!", "dog", 0.6),
    # (0.5, 0.5) and (1, 0)
    "paragram-small": ("Cat, dog", "cat", 1 / math.sqrt(2)),
    # cat (1, 0), dog (0.6, 0.8), less half of the second dimension
    # best cosines: cat 0, dog 0.8; ship 0.8
    "soft_match": ("cat dog", "ship", (0.8 * DOG / (CAT + DOG) + 0.8) / 2),
    "soft_least": ("cat dog", "ship", 0.8 * DOG / (CAT + DOG)),
    "soft_content": ("the cat and a dog", "a ship", ((0 + 0.8) / 2 + 0.8) / 2),
    # cat CAT · (1 − 0), dog DOG · 0.2, ship SHIP · 0.2
    "soft_gap": ("cat dog", "ship", CAT),
    # dot products with cat, dog, ship: the left has 1, 1, 1.6 at best, the right 0, 1.6, 4
    "dynamax": ("cat dog", "ship", (0 + 1 + 1.6) / (1 + 1.6 + 4)),
    # content: cat saw dog, cat saw. "cat saw" is aligned; dog, the, the; a, it are left alone
    "aligned_content": (*CAT_SAW, (2 + 2) / (3 + 2)),
    "aligned_words": (*CAT_SAW, (2 + 2) / (5 + 4)),
    "aligned_weighted": (*CAT_SAW, 2 * (CAT + SAW) / (2 * (CAT + SAW) + DOG)),
    "unaligned_information": (*CAT_SAW, DOG),
    "longest_run": (*CAT_SAW, 2 / 4),
    # cat with cat 1, dog with ship 0.8 · OTHER_WORD
    "aligned_similarity": ("cat dog", "cat ship", 2 * (1 + 0.85 * 0.8) / (2 + 2)),
    # cat before dog stays; cat before ship and dog before ship turn round
    "aligned_order": ("cat dog ship", "ship cat dog", 1 / 3),
}

KNOWLEDGE = {
    # dog and cat 1/5, sleep 1, by information
    "wn_weighted_match": (
        "The dog slept",
        "The cat slept",
        2 / ((DOG + SLEEP) / (DOG / 5 + SLEEP) + (CAT + SLEEP) / (CAT / 5 + SLEEP)),
    ),
    # car and automobile share a synset; dog is left alone: 1/2 and 1
    "wn_synonyms": ("The car and the dog", "The automobile", 2 / 3),
}

AGREEMENT = {
    # 1 and 2 words that deny: odd and even
    "negation_match": ("It isn't here", "It was never not here", 0.0),
    "negation_count": ("He never said nothing", "He said it", 2.0),
    # only one side says that it is useful; old and box, red and box: one of two others in common
    "polarity_conflict": ("The old box is useful", "The red box is not useful", 1 / 2),
    # {sing, dance} and {sing}
    "polarity_match": ("He never sings or dances", "He never sings", 2 * 0.5 * 1 / 1.5),
    # hot and cold; red and box, blue and box: one of two others in common
    "opposite_words": ("A hot red box", "A cold blue box", 1 / 2),
    # red and blue; wooden and box of three others in common
    "exclusive_words": ("A red wooden box with holes", "A blue wooden box with lids", 2 / 3),
    # 5 km of 5 km and 3 dogs
    "quantity_match": ("5 km and 3 dogs", "5,000 m", 2 * 0.5 * 1 / 1.5),
    # half, and of the other half as much as ln 2 is of ln 1000
    "quantity_conflict": ("Two dogs", "4 dogs", 0.5 + 0.5 * math.log(2) / math.log(1000)),
    # Monday of Monday and 17:00
    "calendar_match": ("On Monday at 5 pm", "On Monday", 2 * 0.5 * 1 / 1.5),
    "calendar_conflict": ("On Monday", "On Tuesday", 1.0),
    # the same words before and after
    "name_conflict": ("He saw Paris once", "He saw London once", 1.0),
    # one preposition in another's place
    "single_edit_conflict": ("The cat sat behind it", "The cat sat under it", 0.8),
    # one asks what the other says
    "question_conflict": ("Is it here?", "It is here.", 1.0),
    "sign_conflict": ("I use C++.", "I use C#.", 1.0),
    # tea and rice are listed twice
    "list_conflict": ("We sell tea, milk and rice", "Tea and rice are sold", 1.0),
    "clause_conflict": ("He sang because it rained", "It rained because he sang", 1.0),
    # of new and sat, one in common
    "head_noun_conflict": ("The new car sat", "The car key sat", 1 / 2),
}

# The states of the tiny transformer after its last layer are the vectors of the tiny encoder;
# after its third layer they are cat (1, 0), dog (0, 1), ship (0.6, 0.8).
MIDDLE_COVERED = (0.6 * CAT + 0.8 * DOG) / (CAT + DOG)
CONTEXTUAL = {
    # (1, 0) and (0.6, 0.8), by the number of their tokens
    "gte": ("cat", "dog", 0.6),
    # (0.5, 0.5) and (1, 0)
    "gte_middle": ("cat dog", "cat", 1 / math.sqrt(2)),
    # as soft_match, soft_least, soft_gap and dynamax above
    "gte_tokens": ("cat dog", "ship", (0.8 * DOG / (CAT + DOG) + 0.8) / 2),
    "gte_least": ("cat dog", "ship", 0.8 * DOG / (CAT + DOG)),
    "gte_gap": ("cat dog", "ship", CAT),
    "gte_dynamax": ("cat dog", "ship", (0 + 1 + 1.6) / (1 + 1.6 + 4)),
    # best cosines: cat 0.6, dog 0.8; ship 0.8
    "gte_middle_tokens": ("cat dog", "ship", (MIDDLE_COVERED + 0.8) / 2),
    "gte_middle_least": ("cat dog", "ship", MIDDLE_COVERED),
    # sentences that differ, for a reader that knows no more; (1.6, 0.8) and (0.6, 0.8)
    "reader": ("cat dog", "dog", 0.25),
    "reader_doubt": ("cat dog", "dog", 0.5**3 * 0.8**10),  # √0.8 is their cosine
    # cat CAT · 0.4, dog DOG · 0.2, ship SHIP · 0.2
    "gte_middle_gap": ("cat dog", "ship", 0.4 * CAT),
}

BY_HAND = TAKELAB | DCU | COUNTED | TRANSLATED | BY_VECTORS | CONTEXTUAL | KNOWLEDGE | AGREEMENT


def test_no_feature_is_forgotten() -> None:
    assert set(BY_HAND) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_by_hand(name: str, value: Callable[[str, str, str], float]) -> None:
    left, right, expected = BY_HAND[name]
    assert value(name, left, right) == pytest.approx(expected, abs=1e-5)
    assert value(name, right, left) == pytest.approx(expected, abs=1e-5)
