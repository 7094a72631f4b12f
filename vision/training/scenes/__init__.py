"""Training scenes: which board, which checkers and dice, where, and in which light.

Takes a seed and gives a scene with its truth; imports `vision/training/render`.
"""
