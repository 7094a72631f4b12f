"""The dice cup, or dice with Bluetooth, in a match; the proof of a cup's rolls.

Takes the cup's messages and the dice's throws and gives cup events; imports `record`.
"""
