"""The referee: observations and manual entries in, events out.

Takes what was seen and entered and decides what is recorded; imports every engine folder but
`formats`, `fairness` and `simulation`.
"""
