"""Speed, measured side by side in one run and quoted as a ratio.

Each module is a command, ``python -m runs.benchmarks.NAME``: ``versions`` compares two checkouts;
``encode``, ``train``, ``features``, ``score`` and ``translate`` time our own work beside other
libraries'; ``peers`` and ``bitext_encoders`` set encoders side by side; ``bitext_mining`` measures
F1, seconds and memory of mining, with ``search_cost``; ``install_size`` weighs an installation.
:mod:`~runs.benchmarks.timing` takes turns.
"""
