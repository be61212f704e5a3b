"""Rules that hold of every registered feature, with the resources that ship.

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

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.features.families.surface import numbers
from semaniacs.features.measures.comparisons import comparisons_of
from semaniacs.features.measures.relations import roles_of
from semaniacs.features.registry import FeatureColumns, all_features, get_feature
from semaniacs.features.resources import Resources
from semaniacs.sts.data.pairs import Pairs, concatenate
from semaniacs.sts.text.analysis import Sentence, analyse
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
def extractor(real: Resources, present: list[str]) -> FeatureColumns:
    return FeatureColumns(present, real)


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


def check(extractor: FeatureColumns, pairs: Pairs) -> None:
    names = list(extractor.names)
    matrix = extractor.compute(pairs)
    assert differing(names, matrix, extractor.compute(turned(pairs))) == []
    for name, column in zip(names, matrix.T, strict=True):
        feature = get_feature(name)
        assert np.isfinite(column).all(), name
        assert feature.low - 1e-12 <= column.min(), name
        assert column.max() <= feature.high + 1e-12, name


@repeatable
@given(SENTENCES, SENTENCES)
@example("1" * 400, "2" * 400)
@example("neither nor", "nothing")
def test_soup(extractor: FeatureColumns, left: str, right: str) -> None:
    check(extractor, pair(left, right))


def test_nasty_sentences(extractor: FeatureColumns) -> None:
    left = [a for a in NASTY for _ in NASTY]
    check(
        extractor, Pairs("nasty", tuple(left), tuple(NASTY * len(NASTY)), np.full(len(left), 0.0))
    )
    plain = ("The cat saw 3 dogs in New York on Monday.",) * len(NASTY)
    check(extractor, Pairs("nasty", tuple(NASTY), plain, np.full(len(NASTY), 0.0)))


def test_real_sentences(extractor: FeatureColumns, headlines: Pairs) -> None:
    check(extractor, headlines)


# The same pair has the same row everywhere


def check_rows(extractor: FeatureColumns, pairs: Pairs, before: Pairs) -> None:
    names = list(extractor.names)
    matrix = extractor.compute(pairs)
    order = np.random.default_rng(0).permutation(len(pairs))
    shuffled = pairs.with_sentences([pairs.left[i] for i in order], [pairs.right[i] for i in order])
    assert differing(names, extractor.compute(shuffled), matrix[order]) == []
    behind = extractor.compute(concatenate([before, pairs]))[len(before) :]
    assert differing(names, behind, matrix) == []
    for i in range(min(len(pairs), 40)):
        alone = pairs.select(np.arange(len(pairs)) == i)
        assert differing(names, extractor.compute(alone), matrix[[i]]) == []


def test_a_pair_has_one_row_in_every_file(extractor: FeatureColumns) -> None:
    rng = np.random.default_rng(1)
    soup = [" ".join(rng.choice(PLAIN + NASTY, 8)) for _ in range(40)]
    check_rows(extractor, Pairs("soup", tuple(soup[:20]), tuple(soup[20:]), np.zeros(20)), SAMPLE)


def test_a_real_pair_has_one_row_in_every_file(
    extractor: FeatureColumns, headlines: Pairs, sts_data: Path
) -> None:
    check_rows(extractor, headlines, real_pairs("images", 30, sts_data))


def test_no_pairs_no_values(extractor: FeatureColumns, present: list[str]) -> None:
    assert extractor.compute(Pairs("none", (), (), np.empty(0))).shape == (0, len(present))


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
    extractor: FeatureColumns, headlines: Pairs, sts_data: Path
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
    matrix = extractor.compute(concatenate(every))
    names = list(extractor.names)
    assert [name for name, column in zip(names, matrix.T, strict=True) if np.ptp(column) == 0] == []
    same = [
        (names[a], names[b])
        for a, b in combinations(range(len(names)), 2)
        if np.allclose(matrix[:, a], matrix[:, b], rtol=0, atol=1e-9)
    ]
    assert same == []


# A sentence with itself

_TABLE = Path(__file__).with_name("with_itself.tsv").read_text("utf-8").splitlines()[1:]
_WITH_ITSELF = [line.split("\t") for line in _TABLE]
ALWAYS_ONE = {name for name, value in _WITH_ITSELF if value == "1"}
ALWAYS_ZERO = {name for name, value in _WITH_ITSELF if value == "0"}
NO_BEST_VALUE = {name for name, value in _WITH_ITSELF if value == "any"}
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


def check_the_same(extractor: FeatureColumns, texts: list[str]) -> None:
    pairs = Pairs("same", tuple(texts), tuple(texts), np.zeros(len(texts)))
    matrix, analysed = extractor.compute(pairs), analyse(texts)
    for name, column in zip(extractor.names, matrix.T, strict=True):
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
def test_a_sentence_is_most_like_itself(extractor: FeatureColumns, text: str) -> None:
    check_the_same(extractor, [text])
