"""How well a match is played: chances, errors, luck and performance ratings.

The record goes in; judged events come out. `questions` finds the decisions in a match's events, and
`judge` answers them with one of `engines`: the networks of the package gnubg-nn, with `lookahead`
and `engine.study.cubeful` around them, or an installed GNU Backgammon. `process` does this in a
process of its own, at the lowest priority, so that it never takes time from sight; a crash of the
engine costs one answer. The answers are kept in `store`, a file beside the record that can be
deleted and computed again: each has for its key the match, the event's number, the decision itself
and the engine's version. `analyst`, in the page's process, orders matches, reads the answers and
sums them up; `live` shows them of the match in play. Imports `record`, `review` and `site`.
"""
