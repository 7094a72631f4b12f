"""Turns many videos into recorded matches: each once, several at a time, on one machine or many.

Every video is transcribed by `tableside transcribe` in a process of its own, so that a bad video
harms no other. What is done is known by the content of the videos, not by their names.
"""
