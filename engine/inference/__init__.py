"""The posterior over the results of one turn.

Takes observations and the legal results of a position and gives a `Verdict`; imports only
`engine`'s own modules, `rules` and `evidence`.
"""
