"""English words: how frequent they are, their parts of speech, their lemmas; as tables that ship.

``NOTICE.md`` says where they come from and under which terms; ``make_tables`` makes them.
"""
