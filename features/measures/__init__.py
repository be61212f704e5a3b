"""Measures that several families share: counts, information, sums and matches of vectors.

counts            bags of n-grams, compared for whole columns at once
information       how rare a word is, in nats
formulas          F1, ratios, values for empty sides
sums              sums of word vectors and their cosines
word_matching     every word of one side against every word of the other
contextual_rows   the columns that a transformer's states give, cached
"""
