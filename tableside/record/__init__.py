"""The record on disk: an append-only SQLite file, its lock, and the files beside it.

Events and observations come in and can be read back completely after any crash. Imports only
modules of `tableside`, none of its folders, and the engine.
"""
