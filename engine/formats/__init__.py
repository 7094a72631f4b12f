"""Position IDs and match files of other programs, read and written.

Readers make a `MatchFile`, writers take one; `replay` plays it through and finds what is illegal.
"""
