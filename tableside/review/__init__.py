"""What of a match needs a look: review items, stills, analysis, the archive of matches.

Takes recorded events and gives reports and archive pages; imports `record` and `dice`.
"""
