"""Position ID, Match ID and XGID, read and written.

Takes a `Snapshot` of the table and gives its ids, and the other way round; imports only `engine`'s
own modules and `formats/model`.
"""
