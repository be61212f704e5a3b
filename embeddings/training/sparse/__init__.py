"""Training a table of rows of which a step uses few: the rows in use, pooling, dropout."""
