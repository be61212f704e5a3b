"""The tables of the README and the documents, written from recorded results."""
