"""How many checkers of each side are on every point, on the bar and in the trays.

Takes a picture and the board's pose and gives log-likelihoods of counts; imports `calibration`,
`engine.evidence` and `vision`'s own modules.
"""
