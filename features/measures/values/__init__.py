"""Values that words stand for: numbers, amounts with units, times of the calendar.

numerals     numbers in digits, words and fractions, with their precision
units        units of measure and currencies, by dimension
amounts      numbers with what they measure or count
moments      dates, times of day, weekdays, periods
sameness     when two amounts or two moments are the same, and when they exclude each other
spelled      one word in two spellings
written_alike   both sides of a pair with one spelling a word, one writing an amount
"""
