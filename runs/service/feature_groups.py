"""What each group of features looks at, in plain English."""

LEGEND = {
    "agreement": "Do dates, names, numbers and negations agree or contradict each other?",
    "alignment": "How many words have a partner on the other side, and in the same order?",
    "antonyms": "Words that mean the opposite of a word on the other side.",
    "any_language": "Word order and words in common, in any language.",
    "bag": "Words in common, in any order, common words counting less.",
    "characters": "Letters in common: spelling, endings, small edits.",
    "containment": "Is one sentence contained in the other?",
    "contextual": "Meaning of sentences and words in context, by a small transformer.",
    "determiners": "Little words such as a, the, this.",
    "exclusive": "Words of which only one can be true, such as colours or weekdays.",
    "factuality": "Did it happen on one side, and perhaps or not at all on the other?",
    "length": "How alike the two are in length, and how much they say.",
    "lsa": "Words that occur in the same kind of text.",
    "machine_translation": "Scores that judge translations: shared phrases, edits, stems.",
    "names": "Capitalised words in common.",
    "ngrams": "Words and phrases of two or three words in common.",
    "numbers": "Numbers in common.",
    "order": "What stands in another order, and which words traded places.",
    "paragram": "Meaning of the whole sentence, as the mean of its word vectors.",
    "polarity": "What one side denies and the other does not.",
    "quantifiers": "All, some, most, none: of how many it is said.",
    "questions": "Do both ask the same kind of question?",
    "russian": "Russian headlines: stems, names, numbers and vectors in common.",
    "soft": "For each word, how near in meaning the nearest word of the other side is.",
    "stocks": "Stock symbols in common.",
    "structure": "Who does what to whom, directions, comparisons, before and after.",
    "w2v": "Meaning of nouns, verbs and all words by their vectors.",
    "weighted": "Words in common, rare words counting more.",
    "wordnet": "Words that are near in WordNet, a thesaurus.",
}
"""A sentence for each group of :mod:`features.registry`."""

RULES = {"rule": "The same text has 5, whatever the features say, and no other pair has."}
"""What stands beside the features in an explanation, see :data:`runs.report.explanation.RULE`."""
