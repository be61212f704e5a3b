"""Measures that several families share: counts, information, sums and matches of vectors.

counts              bags of n-grams, compared for whole columns at once
formulas            F1, ratios, values for empty sides; the information of a word, in nats
sums                sums of word vectors and their cosines
word_matching       every word of one side against every word of the other
untagged_alignment  words of any of a few languages, aligned without a tagger
russian_words       stems of Russian words and their information
contextual_rows     the columns that a transformer's states give, cached
word_order/         which words and blocks of an alignment moved, in numbers
grammar/            phrases, clauses, roles and comparisons of English sentences, by rules
values/             numbers, amounts, dates and spellings
"""
