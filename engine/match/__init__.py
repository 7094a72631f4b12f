"""The match as a fold over its events, with corrections and what players may see of it.

Takes events and gives `MatchState`, its phase and the message for the players; imports only
`engine`'s own modules, `rules`, `evidence` and `events`.
"""
