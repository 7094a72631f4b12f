"""Camera pose, board layout and appearance of one set, kept in a profile.

Takes pictures and known positions and gives poses, grids and color models; its only I/O is profile
files, and it imports only `engine`.
"""
