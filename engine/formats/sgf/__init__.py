"""GNU Backgammon's SGF, read and written.

Takes text and gives a `MatchFile`, and the other way round; imports `rules`, `formats/model` and
`formats/validate`.
"""
