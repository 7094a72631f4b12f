"""Questions to many matches: by player, event, date, opening, position, error or luck.

The record and its analysis go in; rows of players, matches and turns come out, on the page, on the
command line and as CSV or Parquet. `facts` folds one match into the rows that questions are about,
`index` keeps them in a file beside the record, `refresh` brings that file up to date, `wanted`
reads a question, `search` answers it, `files` writes tables. The file is a cache: it is brought up
to date by the numbers of the newest events before each answer, and deleting it only costs the time
to build it again. Nothing here writes to the record.
"""
