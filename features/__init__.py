"""From a pair of sentences to named numbers, and from the numbers to one score.

registry      the features by name: ``get_feature``, ``all_features``
extractor     ``FeatureExtractor``, from pairs to a matrix
batch         the pairs of a matrix, each distinct sentence and word once
lexicon       the word lists, from ``lexicon.tsv``
resources     WordNet, word spaces, encoders and the transformer that features look things up in
families/     the features, one family a file
measures/     what several families share
regressors/   ``Ensemble`` and its parts, saved without pickle; Shapley values
wordnet/      WordNet as arrays
word_spaces/  how the word spaces that ship were trained
"""
