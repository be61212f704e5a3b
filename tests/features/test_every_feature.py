"""What must hold of every registered feature, with the resources that ship.

The features of the transformer, which does not ship, are in test_contextual.py.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from embeddings.encoder import Encoder
from embeddings.tokenizers.words import WordTokenizer
from features.extractor import FeatureExtractor
from features.families.surface import numbers
from features.measures.grammar.comparing import comparisons_of
from features.measures.grammar.relations import roles_of
from features.registry import all_features, get_feature
from features.resources import Resources
from sts.data.pairs import Pairs, concatenate
from sts.text.analysis import Sentence, analyse
from tests.features.support import real_pairs
from tests.features.test_pairs import CONFLICTING

NAMES = [feature.name for feature in all_features() if feature.group != "contextual"]
Matrix = NDArray[np.float64]
Condition = Callable[[Sentence, Resources], bool]

NASTY = [
    "", " ", "!!!", "...", "😀 👍🏽", "😀", "汉字", "Это кошка", "مرحبا", "こんにちは 世界",
    "ﬁn ½ ２",
    "e\u0301tude", "a\u2028b", "\ud800", "\0", "_", "1.2.3", "0", "0.4", "1,200", "1" * 400,
    "2" * 400, "٣", "U.S.", ".DJI", ".", "?", "n't", "'s", "//", "x" * 300, "the of", "İ", "ß",
    "\u200b", "million", "twenty five", "2015",
]  # fmt: skip
PLAIN = (
    "the a his cat cats dog Dog ship port sleeps runs ran quickly red New York not 7 65.2 is , . "
    "who May Monday US hot cold two"
).split()
SENTENCES = st.one_of(
    st.lists(st.sampled_from(PLAIN), max_size=9).map(" ".join),
    st.lists(st.sampled_from(PLAIN + NASTY), max_size=6).map(" ".join),
    st.text(max_size=12),
)
SAMPLE = Pairs(
    "sample",
    ("The ship left the port with 7 cats.", "😀", "Who isn't in New York?", "the of", " "),
    ("A ship sailed; seven cats were on it.", "汉字", "It's a dog's life in York!", "of", "the"),
    np.full(5, np.nan),
)

repeatable = settings(derandomize=True, deadline=None, database=None, max_examples=60)


def hashing_encoder(seed: int) -> Encoder:
    """Every word has one of fifty random rows: stands in for a tuned encoder."""
    rows = np.random.default_rng(seed).standard_normal((50, 8)).astype(np.float32)
    return Encoder(WordTokenizer([], 50), rows)


@pytest.fixture(scope="module")
def real() -> Resources:
    return Resources({"paraphrase1": hashing_encoder(1), "paraphrase2": hashing_encoder(2)})


@pytest.fixture(scope="module")
def present(real: Resources) -> list[str]:
    """The columns whose resources are here: all but those of transformers on a bare machine."""
    return [name for name in NAMES if not any(map(real.missing, get_feature(name).needs))]


@pytest.fixture(scope="module")
def extractor(real: Resources, present: list[str]) -> FeatureExtractor:
    return FeatureExtractor(present, real)


@pytest.fixture(scope="module")
def headlines(sts_data: Path) -> Pairs:
    return real_pairs("headlines", 120, sts_data)


def pair(left: str, right: str) -> Pairs:
    return Pairs("one", (left,), (right,), np.full(1, np.nan))


def turned(pairs: Pairs) -> Pairs:
    return pairs.with_sentences(pairs.right, pairs.left)


def differing(names: list[str], a: Matrix, b: Matrix) -> list[str]:
    """The columns that are not the same, bit for bit."""
    return [
        name for column, name in enumerate(names) if not np.array_equal(a[:, column], b[:, column])
    ]


# Finite, in range, the same either way round


def check(extractor: FeatureExtractor, pairs: Pairs) -> None:
    names = list(extractor.columns)
    matrix = extractor.transform(pairs)
    assert differing(names, matrix, extractor.transform(turned(pairs))) == []
    for name, column in zip(names, matrix.T, strict=True):
        feature = get_feature(name)
        assert np.isfinite(column).all(), name
        assert feature.low - 1e-12 <= column.min(), name
        assert column.max() <= feature.high + 1e-12, name


@repeatable
@given(SENTENCES, SENTENCES)
@example("1" * 400, "2" * 400)
@example("neither nor", "nothing")
def test_soup(extractor: FeatureExtractor, left: str, right: str) -> None:
    check(extractor, pair(left, right))


def test_nasty_sentences(extractor: FeatureExtractor) -> None:
    left = [a for a in NASTY for _ in NASTY]
    check(
        extractor, Pairs("nasty", tuple(left), tuple(NASTY * len(NASTY)), np.full(len(left), 0.0))
    )
    plain = ("The cat saw 3 dogs in New York on Monday.",) * len(NASTY)
    check(extractor, Pairs("nasty", tuple(NASTY), plain, np.full(len(NASTY), 0.0)))


def test_real_sentences(extractor: FeatureExtractor, headlines: Pairs) -> None:
    check(extractor, headlines)


# The same pair has the same row everywhere


def check_rows(extractor: FeatureExtractor, pairs: Pairs, before: Pairs) -> None:
    names = list(extractor.columns)
    matrix = extractor.transform(pairs)
    order = np.random.default_rng(0).permutation(len(pairs))
    shuffled = pairs.with_sentences([pairs.left[i] for i in order], [pairs.right[i] for i in order])
    assert differing(names, extractor.transform(shuffled), matrix[order]) == []
    behind = extractor.transform(concatenate([before, pairs]))[len(before) :]
    assert differing(names, behind, matrix) == []
    for i in range(min(len(pairs), 40)):
        alone = pairs.select(np.arange(len(pairs)) == i)
        assert differing(names, extractor.transform(alone), matrix[[i]]) == []


def test_a_pair_has_one_row_in_every_file(extractor: FeatureExtractor) -> None:
    rng = np.random.default_rng(1)
    soup = [" ".join(rng.choice(PLAIN + NASTY, 8)) for _ in range(40)]
    check_rows(extractor, Pairs("soup", tuple(soup[:20]), tuple(soup[20:]), np.zeros(20)), SAMPLE)


def test_a_real_pair_has_one_row_in_every_file(
    extractor: FeatureExtractor, headlines: Pairs, sts_data: Path
) -> None:
    check_rows(extractor, headlines, real_pairs("images", 30, sts_data))


def test_the_order_of_the_columns_does_not_matter(extractor: FeatureExtractor) -> None:
    """What a batch keeps for the next feature is not changed by any of them."""
    backwards = FeatureExtractor(list(extractor.columns)[::-1], extractor.resources)
    names = list(extractor.columns)
    assert differing(names, backwards.transform(SAMPLE)[:, ::-1], extractor.transform(SAMPLE)) == []


def test_no_pairs_no_values(extractor: FeatureExtractor, present: list[str]) -> None:
    assert extractor.transform(Pairs("none", (), (), np.empty(0))).shape == (0, len(present))


MOVED = """
Он не приехал | Он приехал
Всё растёт | Все растет
Цены на нефть в России растут | В российской столице выросла цена нефти — на 5%
Глава ЦБ: курс рубля снизится до 60 | Курсы рублей снизились, сказали в банке и в 2015 году
The box held 7 cats near 9 dogs | The box held 9 cats near 7 dogs
The farmer sold 7 cats | 7 men saw the old farmer who sold cats
The red car hit the blue house | The blue car hit the red house
He walked to work and she drove to school | He drove to work and she walked to school
A steel door led to the wood floor of the boat house | A wood door led to the steel floor of the \
house boat
After the war ended, the king returned to his city, tired | Tired, the king returned to his city \
after the war ended
The dog and the cat of Anna met the horse and the cow of Peter | The horse and the cow of Peter \
met the dog and the cat of Anna
Paris lies north of Lyon and Rome lies south of Milan | Rome lies north of Milan and Paris lies \
south of Lyon
"""
"""Numbers, adjectives, verbs, nouns, clauses and phrases elsewhere, as few real pairs have them."""


def test_no_two_columns_are_the_same(
    extractor: FeatureExtractor, headlines: Pairs, sts_data: Path
) -> None:
    # Stock symbols stand in few sentences and dates in few captions: several data sets together.
    forums = real_pairs("answers-forums", 120, sts_data)
    stocks = Pairs(
        "rare",
        ("The .DJI and .IXIC fell", "He flew to Paris", "I recieved it"),
        ("The .DJI rose", "He flew to London", "I received it"),
        np.full(3, np.nan),
    )
    denied = pair("All the boys did not sing in the hot sun", "Some boys sang in the cold sun")
    status = pair("He may have opened the door", "He opened the door")
    kinds = pair("A red cat", "A blue cat")
    first = {kind: (a, b) for kind, a, b in reversed(CONFLICTING)}
    exchanged = [pair(a, b) for a, b in first.values()]
    moved = [pair(*line.split(" | ")) for line in MOVED.strip().splitlines()]
    every = [headlines, forums, stocks, denied, status, kinds, *exchanged, *moved]
    matrix = extractor.transform(concatenate(every))
    names = list(extractor.columns)
    assert [name for name, column in zip(names, matrix.T, strict=True) if np.ptp(column) == 0] == []
    same = [
        (names[a], names[b])
        for a, b in combinations(range(len(names)), 2)
        if np.allclose(matrix[:, a], matrix[:, b], rtol=0, atol=1e-9)
    ]
    assert same == []


# A sentence with itself

ALWAYS_ONE = set(
    """
    any_in_place any_word_1gram any_word_2gram any_word_3gram any_word_4gram any_content_2gram
    any_content_3gram any_content_4gram any_stem_1gram any_stem_2gram any_stem_3gram any_information
    any_last_function_word_kept
    number_match case_match stock_match det_1 negation_match polarity_match number_value_match date_match
    entity_match question_match content_1gram content_2gram content_3gram
    lemma_1gram lemma_2gram lemma_3gram lemma_containment weighted_containment
    wn_sim_match wn_weighted_match wn_synonyms soft_match soft_least soft_content product_w2v
    nn_w2v vb_w2v aligned_content aligned_weighted aligned_similarity aligned_order
    rouge_l character_edits
    kept_left kept_right kept_left_content kept_right_content kept_preposition
    content_pairs_kept content_skips_kept kept_least_context kept_mean_context kept_verb_after
    kept_verb_before head_noun_kept head_verb_kept head_kept head_relation_kept head_all_kept
    role_subject_kept role_object_kept phrase_kept phrase_adjectives_kept phrase_names_kept
    phrase_numbers_kept phrase_preposition_kept order_largest_block order_first_kept
    order_last_kept order_first_name_kept aligned_exactly aligned_least_similar length_ratio
    quantity_match calendar_match
    ru_words ru_stems ru_content ru_beginnings ru_names ru_numbers ru_keys ru_stem_2gram ru_stem_3gram
    ru_key_3gram ru_key_4gram ru_information ru_contained ru_contained_information ru_soft
    ru_soft_least ru_soft_most ru_soft_even ru_first ru_last
    """.split()
)
ALWAYS_ZERO = set(
    """
    any_inversions any_near_inversions any_breaks any_reversed_next any_shift any_largest_shift
    any_out_of_sequence any_out_of_sequence_count any_exchanged_information
    any_function_words_traded any_function_word_changed any_name_inversions
    any_unaligned_difference any_largest_piece_difference
    single_edit_conflict question_conflict
    det_2 relative_len_difference relative_ic_difference relative_character_difference
    polarity_conflict opposite_words quantifier_conflict factuality_conflict exclusive_words
    role_conflict role_moved modifier_conflict modifier_moved structure_conflict direction_conflict
    comparison_conflict time_order_conflict cause_conflict place_conflict
    negation_count number_conflict entity_conflict soft_gap unaligned_information antonyms edit_rate
    order_inversions order_turns order_turn_count order_moved_words order_moved_count
    order_inverted_names order_inverted_nouns order_inverted_adjectives order_inverted_verbs
    order_inverted_numbers order_changed_sides order_blocks order_block_count
    order_moved_blocks order_moved_single order_moved_clauses order_largest_moved
    order_smallest_moved order_furthest order_mean_distance order_moved_at_mark
    order_moved_adverbs order_moved_names order_moved_nouns order_moved_adjectives
    order_moved_verbs order_moved_numbers order_inverted_near order_inverted_far kept_neither
    kept_neither_count kept_preposition_count kept_neither_names kept_neither_nouns
    kept_neither_adjectives kept_neither_verbs kept_neither_numbers traded_left traded_right
    traded_both adjective_noun_lost adjective_noun_traded noun_noun_lost number_noun_lost
    preposition_traded head_lost_names head_lost_nouns head_lost_adjectives head_lost_numbers
    head_traded_names head_traded_nouns head_traded_adjectives head_traded_numbers
    role_exchanged phrase_split role_subject_lost head_traded_verb traded traded_words traded_names
    traded_nouns traded_adjectives traded_verbs traded_numbers traded_count traded_total
    traded_in_list traded_phrases traded_phrases_count traded_phrases_in_list traded_context
    traded_mean_context unaligned_determiners unaligned_prepositions unaligned_conjunctions
    unaligned_auxiliaries unaligned_pronouns unaligned_possessives unaligned_function_words
    unaligned_nouns unaligned_names unaligned_verbs unaligned_adjectives unaligned_adverbs
    unaligned_numbers unaligned_others unaligned_content unaligned_both unaligned_gap
    mark_difference substituted substituted_names
    quantity_conflict calendar_conflict name_conflict
    ru_unshared_least ru_unshared_most ru_left_least ru_left_most ru_left_rarest_least
    ru_left_rarest_most ru_number_conflict ru_name_conflict ru_denials
    """.split()
)
NO_BEST_VALUE = set(
    """
    number_count case_count stock_count information_density shorter_length question_count
    content_count name_count noun_count verb_count number_word_count adjective_noun_kept
    any_kept_next any_left_kept any_right_kept any_both_kept any_names any_commas any_largest_piece
    any_unaligned any_unaligned_content any_unaligned_heaviest
    any_pieces any_pieces_of_aligned any_single_pieces
    ru_shared ru_shared_information ru_shared_rarest
    """.split()
)
"""They say what kind of pair it is, not how much its sides are alike."""


def has_words(sentence: Sentence, real: Resources) -> bool:
    return bool(sentence.words)


def in_space(space: str, view: str) -> Condition:
    return lambda sentence, real: any(
        w in real.spaces[space].tokenizer for w in getattr(sentence, view)
    )


def has_vector(encoder: str) -> Condition:
    """Some marks and signs have a vector of zeros, which is like nothing, itself included."""
    return lambda sentence, real: bool(real.encoder(encoder).encode([sentence.text]).any())


def has_vectors_or_no_words(sentence: Sentence, real: Resources) -> bool:
    space = real.spaces["w2v"]
    known = [
        row for word in sentence.content if (row := space.tokenizer.rows.get(word)) is not None
    ]
    return not known or bool(space.table[known].any())


def has_characters(n: int) -> Condition:
    return lambda sentence, real: len(" ".join(sentence.text.split())) >= n


def can_be_aligned(sentence: Sentence, real: Resources) -> bool:
    """Stop words are aligned only beside content words."""
    return bool(sentence.content) or not sentence.words


def has_no_letters(sentence: Sentence, real: Resources) -> bool:
    return not any(map(str.isalnum, sentence.text))


ONE_IF: dict[str, Condition] = {
    **dict.fromkeys(
        "ru_soft_gap ru_soft_worst ru_soft_left_least ru_soft_left_most".split(), has_no_letters
    ),
    **dict.fromkeys(
        "ru_teacher ru_subwords".split(), lambda sentence, real: bool(sentence.text.strip())
    ),
    **dict.fromkeys("weighted_word_match cosine cosine_icf".split(), has_words),
    **dict.fromkeys("bleu skip_bigram chrf".split(), has_words),
    **{name: has_vector(name) for name in "paraphrase1 paraphrase2 paragram-small".split()},
    **dict.fromkeys("paragram usif".split(), has_vector("paragram")),
    "sum_w2v": has_vectors_or_no_words,
    "dynamax": lambda sentence, real: not sentence.words or has_vector("paragram")(sentence, real),
    "dist_sim": in_space("lsa-news", "lemmas"),
    "weighted_dist_sim_news": in_space("lsa-news", "content"),
    "weighted_dist_sim_daily": in_space("lsa-daily", "content"),
    "word2vec": in_space("word2vec", "words"),
    **{f"character_{n}gram": has_characters(n) for n in (2, 3, 4, 5)},
    "number_subset": lambda sentence, real: bool(numbers(sentence)),
    "weighted_lemma_match": lambda sentence, real: bool(sentence.content),
    "aligned_words": can_be_aligned,
    "meteor": can_be_aligned,
    "role_match": lambda sentence, real: bool(roles_of(sentence)),
    "comparison_match": lambda sentence, real: bool(comparisons_of(sentence)),
    "longest_run": lambda sentence, real: bool(sentence.content) and len(sentence.words) > 1,
}
"""The exceptions: 1 under a condition, otherwise 0."""


def test_every_feature_is_expected_to_be_something() -> None:
    kinds = [ALWAYS_ONE, ALWAYS_ZERO, set(ONE_IF), NO_BEST_VALUE]
    assert set().union(*kinds) == set(NAMES)
    assert sum(map(len, kinds)) == len(NAMES)


def expected_of_the_same(name: str, sentence: Sentence, real: Resources) -> float:
    """The value of a feature of a sentence with itself."""
    if name in ONE_IF:
        return float(ONE_IF[name](sentence, real))
    return float(name in ALWAYS_ONE)


def check_the_same(extractor: FeatureExtractor, texts: list[str]) -> None:
    pairs = Pairs("same", tuple(texts), tuple(texts), np.zeros(len(texts)))
    matrix, analysed = extractor.transform(pairs), analyse(texts)
    for name, column in zip(extractor.columns, matrix.T, strict=True):
        if name not in NO_BEST_VALUE:
            for text, value in zip(texts, column, strict=True):
                expected = expected_of_the_same(name, analysed[text], extractor.resources)
                assert value == pytest.approx(expected, abs=2e-6), (name, text)


@repeatable
@given(st.lists(st.sampled_from([*PLAIN, "😀", "汉字", "½"]), max_size=9).map(" ".join))
@example("")
@example(".")
@example("😀")
@example("the of")
@example("cat")
@example("cat cat the cat")
def test_a_sentence_is_most_like_itself(extractor: FeatureExtractor, text: str) -> None:
    check_the_same(extractor, [text])


def test_real_sentences_are_most_like_themselves(
    extractor: FeatureExtractor, headlines: Pairs
) -> None:
    check_the_same(extractor, list(dict.fromkeys(headlines.left)))
