"""From a pair of sentences to named numbers, and from the numbers to one score.

registry         the features by name: ``get_feature``; ``FeatureColumns``, from pairs to a matrix
batch            the pairs of a matrix, each distinct sentence and word once
differences      contradictions between two sentences, in words
lexicon          the word lists and WordNet
resources        WordNet, word spaces, encoders and the transformer that features look things up in
contextual_rows  the columns that a transformer gives, cached
word_spaces      how the word spaces that ship were trained
families/        the features, one family per file
measures/        what several families share
regressors/      ``Ensemble`` and its parts, saved without pickle; Shapley values
wordnet/         WordNet as arrays
"""
