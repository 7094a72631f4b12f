"""One turn: the throw, the evidence for its play, and rival hypotheses about it.

Takes pooled observations and the state of a match and gives throws and weighed hypotheses to
`referee`; imports `rules`, `evidence`, `events`, `match` and `inference`.
"""
