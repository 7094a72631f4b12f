"""The parts of the documents that the program makes itself: reference pages and pictures.

Takes the command line, the API, the events and a running program; gives files below `docs/`.
"""
