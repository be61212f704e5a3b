"""Texts that are written in several ways are one text to scores, vectors, search and mining."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import semaniacs
from semaniacs import embeddings
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import Utf8Sentences, WordTokenizer
from semaniacs.sts.text.normalisation import normalise_all, plain_text
from semaniacs.sts.text.tokenizer import same_text

CASES = [
    ("Ｔｈｅ ｃａｔ，", "The cat,"),
    ("𝐓𝐡𝐞 𝒸𝒶𝓉 ⓢⓐⓣ", "The cat sat"),
    ("ﬁnd the oﬃce", "find the office"),
    ("co\u00adoper\u200da\u200ction", "cooperation"),
    ("cafe\u0301", "café"),
    ("İstanbul", "Istanbul"),
    ("مُحَمَّدٌ كـتـاب", "محمد كتاب"),
    ("שָׁלוֹם", "שלום"),
    ("x² 10⁻³ xⁿ 2ⁿᵈ", "x^2 10^\u22123 x^n 2nd"),
    ("5 m² and 3km², ㎡", "5 m² and 3km², m²"),
    ("2½ cups", "2 1/2 cups"),
    ("H₂O, CO₂", "H2O, CO2"),
    ("Foo™ Bar® 3ª", "Foo™ Bar® 3ª"),
    ("good ❤\ufe0f👍🏽", "good ❤👍🏽"),
    # HTML
    ("Tom &amp; Jerry &#39;s &amp;lt;3", "Tom & Jerry 's <3"),
    ('<p class="x">A <b>bold</b> dog<BR/>runs</p>', " A bold dog runs "),
    ("a<!-- no --> <script>if (a < b) {}</script>dog", "a   dog"),
    ("5 m<sup>2</sup>, x<sup>2</sup>, H<sub>2</sub>O", "5 m², x^2, H2O"),
    ("a < b and c > d <3 List<String> Set<Object>", None),
    ("AT&T, R&D; Q&A <b and c> &foo; x<y", None),
    # Markdown
    ("Do **not** [pay](https://a.b/c?d=1#e), ***now***", "Do not pay, now"),
    ("2**3, f(**kw, **b), a[0](x), 2 ** 3 ** 4, ***", None),
    # UTF-8 that was read as something else, and terminals
    ("cafÃ© donâ€™t", "café don’t"),
    ("РџСЂРёРІРµС‚ РјРёСЂ", "Привет мир"),
    ("\x1b[31mred\x1b[0m \x1b]0;title\x07dog", "red dog"),
    # in short
    ("r = .63, -.12, $.50, a .5mm drill", "r = 0.63, -0.12, $0.50, a 0.5mm drill"),
    ("v.5, etc...5, .5.2, a .7z file", None),
    ("w/o view, W/O VIEW, w/ view, w/view", "without view, without VIEW, with view, with view"),
    ("5 W/m2, 5% w/w, r/w/x, w/o 12/5", None),
    # as they were
    ("“Don’t” – été, où, créée; Straße ёж „so“ «là» 5 € 日本語 ´ `", None),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_the_one_form_by_hand(text: str, expected: str | None) -> None:
    (form,) = normalise_all([text])
    assert form == (text if expected is None else expected)
    assert plain_text(text) == form == plain_text(form)
    assert same_text(text, form)


def test_texts_in_their_form_come_back_as_they_are() -> None:
    texts = ["A dog runs.", "été <3 – AT&T"] * 5000
    assert normalise_all(texts) is texts
    assert normalise_all(["w/o ", "5"]) == ["without ", "5"]  # the next text is not beside it


@given(st.text(st.characters() | st.sampled_from("²½İéٰﬁ&<m;\u0301\u200d")))
def test_a_second_time_changes_nothing(text: str) -> None:
    (once,) = normalise_all([text])
    assert list(normalise_all([once])) == [once]


ENCODER = embeddings.load()
ODD = ["Ｔｈｅ ｃａｔ.", "the cat &amp; dog", "A caf\u00c3\u00a9 \x1b[1mopens\x1b[0m.", "ﬁnd it"]
PLAIN = ["The cat.", "the cat & dog", "A café opens.", "find it"]


@pytest.mark.parametrize("copies", [1, 4096])
def test_every_door_reads_the_same(copies: int) -> None:
    expected = ENCODER.encode(PLAIN * copies)
    np.testing.assert_array_equal(ENCODER.encode(ODD * copies), expected)
    lines = Utf8Sentences.lines("\n".join(ODD * copies).encode(), lambda raw, _: raw.decode())
    np.testing.assert_array_equal(ENCODER.encode(lines), expected)
    np.testing.assert_array_equal(ENCODER.similarity_pairwise(ODD, PLAIN).round(6), np.ones(4))


def test_scores_search_and_duplicates_read_the_same() -> None:
    assert semaniacs.score(ODD, PLAIN).tolist() == [5.0] * 4
    pairs: list[list[str]] = [["A man plays the guitar."], ["A man is playing a guitar."]]
    wide: Any = [["Ａ ｍａｎ ｐｌａｙｓ ｔｈｅ ｇｕｉｔａｒ．"], pairs[1]]
    assert semaniacs.score(*wide).tolist() == semaniacs.score(*pairs).tolist()
    assert [hit.corpus_id for hit in semaniacs.search(ODD[0], PLAIN, 1)] == [0]
    assert len(semaniacs.duplicates([ODD[0], PLAIN[0]], threshold=0.99)) == 1


def test_a_repair_is_said_once_with_an_example() -> None:
    with pytest.warns(UserWarning, match="'the cat &amp; dog' is read as 'the cat & dog'") as said:
        ENCODER.encode(ODD)
        semaniacs.score(ODD, PLAIN)
    assert len(said) == 1


@pytest.mark.parametrize("compiled_from", [0, 99])
def test_a_word_without_a_row_has_that_of_its_other_spelling(compiled_from: int) -> None:
    table = np.eye(8, dtype=np.float32)
    encoder = Encoder(WordTokenizer(["straße", "weiss", "gross", "groß", "##e", "gro"], 2), table)
    encoder.compiled_from = compiled_from
    found = encoder.ids(["STRASSE", "Straße weiß WEISS", "GROSS groß", "GROẞE"]).flat.tolist()
    assert found[:6] == [0, 0, 1, 1, 2, 3]
