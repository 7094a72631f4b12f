"""Frames made steady before they are judged: registered to a reference, in its light, and sharp.

Takes frames and the part of the picture that is the board, and gives pictures that can be compared
pixel by pixel, with the noise measured from the stream itself; imports `calibration` and
`engine.arrays`.
"""
