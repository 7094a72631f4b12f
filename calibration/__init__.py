"""Camera pose, board layout and appearance of one set, kept in a profile.

Takes pictures and known positions and gives poses, grids and colour models; does no I/O but profile
files, and imports only `engine`.
"""
