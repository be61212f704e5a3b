"""Studies of the papers, tables of speed beside other libraries, and the recorded results.

Each script is a program: ``python -m research.paws_across --help``. None of them is in the wheel.
"""
