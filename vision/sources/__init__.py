"""Frames from files, cameras and memory.

Takes a path, an address or a camera number and gives frames; imports only `vision`'s own modules.
"""
