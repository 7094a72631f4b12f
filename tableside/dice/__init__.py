"""The log of every die: rows, tables, names, and the dice report's sources.

Events, match files and tables of rolls come in; rows and logs for the statistics go out. Imports
`record`.
"""
