"""Paraphrase or not in German, Spanish and French, learned from English pairs alone.

    semaniacs submit --run paws-any --task paws-x-de --data DIR
    semaniacs submit --run paws-any-both --task paws-x-de --data DIR

Its columns look at characters, at words and their order, and at which words are frequent, so
that they mean the same in every language whose frequent words are known. It learns from the
English pairs that ``paws`` learns from. The columns of another language are mapped to English
ones by the unlabelled pairs of that language's PAWS-X development set, see
:mod:`semaniacs.features.regressors.quantile_map`; its labels choose the threshold alone. Columns and trees
were chosen on the development sets. ``paws-any-both`` adds a network that reads both sentences; their
weights are equal.
"""

from __future__ import annotations

from dataclasses import replace

from semaniacs.runs.pipeline.recipe_parts import AS_IT_IS, Labelled, Reading, ReadTogether, Vectors
from semaniacs.runs.pipeline.run import Mean, Run
from semaniacs.runs.recipes.paraphrases2026 import label_trees

OTHERS = ("de", "es", "fr")
"""Languages of PAWS-X that are read beside English."""

COLUMNS = (
    "any_inversions", "any_near_inversions", "any_breaks", "any_kept_next", "any_reversed_next",
    "any_shift", "any_largest_shift", "any_in_place", "any_out_of_sequence",
    "any_out_of_sequence_count", "any_exchanged_information", "any_left_kept", "any_right_kept",
    "any_both_kept", "any_function_words_traded", "any_function_word_changed",
    "any_last_function_word_kept", "any_names", "any_name_inversions", "any_unaligned",
    "any_unaligned_content", "any_unaligned_heaviest", "any_pieces", "any_pieces_of_aligned",
    "any_single_pieces", "any_largest_piece", "any_unaligned_difference",
    "any_largest_piece_difference", "any_word_1gram", "any_word_2gram", "any_word_3gram",
    "any_word_4gram", "any_content_2gram", "any_content_3gram", "any_content_4gram",
    "any_stem_1gram", "any_stem_2gram", "any_stem_3gram", "any_information", "any_commas",
    "character_2gram", "character_3gram", "character_4gram", "character_5gram", "chrf", "bleu",
    "rouge_l", "edit_rate", "character_edits", "skip_bigram", "shorter_length",
    "relative_character_difference", "cosine",
)  # fmt: skip
"""Columns that need no tags, no lemmas and no vectors, so nothing that is English."""

PAWS_ANY = Run(
    "paws-any",
    "paraphrase or not in en, de, es, fr, learned from English pairs by columns of any language",
    columns=COLUMNS,
    head=replace(label_trees(0.4), mapped=OTHERS),
    learns=Labelled(),
    reads=Reading(translated=False, languages=("en", *OTHERS)),
)

READER_ANY = Run(
    "reader-any",
    "chance that two sentences in five languages mean the same, by a network that reads both together",
    head=ReadTogether(),
    vectors=Vectors(start="multilingual"),
    reads=AS_IT_IS,
)

BOTH = Mean(
    "paws-any-both",
    "the mean of paws-any and of reader-any: paraphrase or not in en, de, es, fr",
    ((PAWS_ANY, 1.0), (READER_ANY, 1.0)),
)

RUNS = (PAWS_ANY, READER_ANY, BOTH)
