"""A match file as data, whatever its format.

Takes what a reader found and gives a `MatchFile` with its errors; imports only `engine`'s own
modules and `rules`.
"""
