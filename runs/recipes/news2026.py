"""Russian headlines: the same or not (Pivovarova et al., 2017; Gusev and Smurov, 2021).

    semaniacs submit --run news-ru --task paraphraser --data DIR
    semaniacs submit --run news-ru --task dialogue2021-private --data DIR
    semaniacs submit --run news-translated --task paraphraser --data DIR
    semaniacs submit --run news-both --task paraphraser --data DIR

``news-ru`` looks at the Russian sentences alone; what a word says it learns from the headlines of
the training set. ``news-translated`` looks at the recorded translations into English, with every
column of ``paws`` and ``fusion``, averaged over translators; ``news-both`` at all of it. No run
needs a transformer. The score is 5 times the probability of label 1. Columns and trees were
chosen on the training set of ParaPhraser, by folds of pairs without a sentence in common.
"""

from __future__ import annotations

from dataclasses import replace

from semaniacs.runs.pipeline.recipe_parts import Reading, RussianHeadlines, Vectors
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.recipes import ensemble2026, paraphrases2026
from semaniacs.runs.recipes.paraphrases2026 import label_trees

RUSSIAN = (
    "ru_words", "ru_stems", "ru_content", "ru_beginnings", "ru_names", "ru_numbers", "ru_keys",
    "ru_stem_2gram", "ru_stem_3gram", "ru_key_3gram", "ru_key_4gram", "ru_information",
    "ru_contained", "ru_contained_information", "ru_shared", "ru_shared_information",
    "ru_shared_rarest", "ru_unshared_least", "ru_unshared_most", "ru_left_least", "ru_left_most",
    "ru_left_rarest_least", "ru_left_rarest_most", "ru_soft", "ru_soft_least", "ru_soft_most",
    "ru_soft_even", "ru_soft_gap", "ru_soft_worst", "ru_soft_left_least", "ru_soft_left_most",
    "ru_network", "ru_subwords", "ru_number_conflict", "ru_name_conflict", "ru_denials",
    "length_ratio", "ru_first", "ru_last", "character_2gram", "character_3gram",
    "character_4gram", "character_5gram", "chrf",
)  # fmt: skip
"""Columns of the Russian sentences."""

ENGLISH = tuple(
    dict.fromkeys(
        name
        for name in (*paraphrases2026.COLUMNS, *ensemble2026.COLUMNS)
        if not name.startswith("paraphrase")  # of tuned encoders
    )
)
"""Columns of the translations."""

BESIDE_RUSSIAN = tuple(name for name in ENGLISH if name not in RUSSIAN)
"""Columns of the translations beside those of the originals: runs of letters are of the originals."""


NEWS_RU = Run(
    "news-ru",
    "Russian headlines: the same or not, by words, names, numbers and our vectors",
    columns=RUSSIAN,
    head=label_trees(0.4),
    vectors=Vectors(headlines=True),
    learns=RussianHeadlines(),
    reads=Reading(translated=False, languages=("ru",)),
)

NEWS_TRANSLATED = replace(
    NEWS_RU,
    name="news-translated",
    about="Russian headlines by their recorded translations into English",
    columns=ENGLISH,
    head=label_trees(0.2),
    reads=Reading(translated=False, languages=("ru",), recorded=True),
    translated=len(ENGLISH),
)

NEWS_BOTH = replace(
    NEWS_TRANSLATED,
    name="news-both",
    about="news-ru and news-translated: Russian headlines and their recorded translations",
    columns=(*RUSSIAN, *BESIDE_RUSSIAN),
    translated=len(BESIDE_RUSSIAN),
)

RUNS = (NEWS_RU, NEWS_TRANSLATED, NEWS_BOTH)
