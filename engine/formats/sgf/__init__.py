"""GNU Backgammon's SGF, read and written.

Takes text and gives a `MatchFile`, and vice versa; imports `rules`, `formats/model` and
`formats/validate`.
"""
