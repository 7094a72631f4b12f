"""The record on disk: an append-only SQLite file, its lock, and the files beside it.

Takes events and gives them back whole after any crash; imports only `tableside`'s own modules.
"""
