"""What to review in a match: review items, stills, the archive of matches.

Recorded events come in; reports and the values of the archive pages go out. Imports `record` and
`dice`.
"""
