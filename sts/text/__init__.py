"""Text: the tokenizer, a sentence analysed once, and language identification."""
