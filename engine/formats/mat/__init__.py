"""Jellyfish match text (`.mat`) and its XG and Snowie dialects, read and written.

Takes text and gives a `MatchFile`, and vice versa; imports `rules`, `formats/ids`, `formats/model`
and `formats/validate`.
"""
