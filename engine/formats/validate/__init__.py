"""A match file checked against the rules, play by play.

Takes a `MatchFile` and gives the positions it passes through, its illegal plays and its errors;
imports `rules` and `formats/model`.
"""
