"""A shallow reading of English sentences: phrases, clauses, who does what to whom, what is compared.

Rules over parts of speech and lemmas, no parser: short plain sentences are read well, long ones in
part. What cannot be read gives no relation, and no conflict.
"""
