"""From frames to observations: when to read, what to read again, how to find the board again.

Takes frames and gives observations and what the players should know; imports all other `vision`
folders except `benchmark` and `training`.
"""
