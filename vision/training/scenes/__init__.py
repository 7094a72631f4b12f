"""Scenes to learn from: which board, which checkers and dice stand where, in which light.

Takes a seed and gives a scene with its truth; imports `vision/training/render`.
"""
