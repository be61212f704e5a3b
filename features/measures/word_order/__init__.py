"""How the words of two sentences are ordered: what was moved, and what was traded.

``block_alignment`` pairs the words of two sentences, ``attachment`` finds what each word hangs on, and the
other files describe an alignment in numbers; ``features.families.order`` makes columns of them.
"""
