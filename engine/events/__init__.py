"""The facts of a record, one class per event type, and their exact JSON.

Takes positions, rule sets and dice evidence and gives events to `match` and everything that is
recorded; imports only `engine`'s own modules and `evidence`.
"""
