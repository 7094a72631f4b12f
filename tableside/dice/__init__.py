"""The log of every die: rows, tables, names, and the dice report's sources.

Takes events and tables of rolls and gives rows and statistics; imports `record`.
"""
