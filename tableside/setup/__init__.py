"""Setting up: the wizard, and learning a board.

Takes pictures of a board and gives a calibrated profile; imports `recording`.
"""
