"""Find the pairs that mean the same among many sentences: bitext in two files, paraphrases."""
