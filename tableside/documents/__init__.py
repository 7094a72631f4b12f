"""The parts of the documents that the program generates: reference pages and pictures.

Takes the command line, the API, the events and a running program; gives files below `docs/`.
"""
