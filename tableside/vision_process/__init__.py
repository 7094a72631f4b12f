"""The vision process and the channel to it.

Takes jobs and gives states, pictures and responses; imports `recording` and what it needs.
"""
