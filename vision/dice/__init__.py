"""Dice and the doubling cube: where they are, what they show, how they rest.

Takes a picture and the board's pose and gives dice and cube evidence; imports `calibration`,
`engine.evidence` and `vision`'s own modules.
"""
