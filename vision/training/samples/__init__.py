"""Crops and strips cut from scenes, as the nets see them.

Takes scenes and gives arrays of samples with labels; imports `render` and `scenes`.
"""
