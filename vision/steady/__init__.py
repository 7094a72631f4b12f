"""Frames made steady before they are judged: registered to a reference and under its light.

Takes frames and the part of the picture that is the board, and gives pictures that can be compared
pixel by pixel, with the noise measured from the stream itself; imports only `engine.arrays`.
"""
