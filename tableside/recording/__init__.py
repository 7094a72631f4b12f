"""The loop that records, live and offline.

Takes a frame source and a match configuration and runs matches to their end; imports all folders
above except `vision_process`, `setup`, `bench` and `commands`.
"""
