"""Facts of the record, one class an event type, and their exact JSON.

Takes positions, rule sets and dice evidence and gives events to `match` and all that is recorded;
imports only `engine`'s own modules and `evidence`.
"""
