"""The electronic dice cup in a match, and the proof of its rolls.

Takes the cup's messages and gives cup events; imports `record`.
"""
