"""The record on disk: an append-only SQLite file, its lock, and the files beside it.

Events and observations come in and can be read back complete after any crash. Imports no other
folder of `tableside`, only its modules and the engine.
"""
