"""Measures that several families share.

counts         bags of n-grams, compared for whole columns at once
word_matching  sums of word vectors, and every word of one side against every word of the other
numerals, amounts, moments, sameness   numbers, units, dates, and which of them exclude each other
mended_tags    parts of speech, common errors of the tagger mended
denial         scope of denials, opposites, contractions and idioms
spelling       both sides of a pair in one spelling
word_order/    words aligned in blocks, and which of them moved
"""
