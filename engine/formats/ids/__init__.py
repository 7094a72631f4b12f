"""Position ID, Match ID and XGID, read and written.

Takes a `Snapshot` of the table and gives its IDs, and vice versa; imports only `engine`'s own
modules and `formats/model`.
"""
