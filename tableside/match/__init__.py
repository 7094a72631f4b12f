"""One match: how it is configured, and the session that turns frames into recorded events.

Takes frames and manual entries and gives events; imports `record`.
"""
