"""Where the board is in the picture, and whether it is still there.

Takes a picture and gives the board's pose to `checkers`, `dice` and `reading`; imports
`calibration` and `vision`'s own modules.
"""
