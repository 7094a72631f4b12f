"""Where the board lies in the picture, and whether it still lies there.

Takes a picture and gives the board's pose to `checkers`, `dice` and `reading`; imports
`calibration` and `vision`'s own modules.
"""
