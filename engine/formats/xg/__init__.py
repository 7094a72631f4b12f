"""eXtreme Gammon's binary match files (`.xg`), read.

Takes bytes and gives a `MatchFile`; imports `rules`, `formats/model` and `formats/validate`.
"""
