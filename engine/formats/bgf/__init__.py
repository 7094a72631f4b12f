"""BGBlitz's match files (`.bgf`), read.

Takes bytes and gives a `MatchFile`; imports `rules` and `formats/model`.
"""
