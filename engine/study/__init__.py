"""Figures for study: match and cubeful equity, take points, gammon values, effective pip counts.

Takes scores and positions of backgammon, gives numbers; imports only `engine`'s own modules.
Nothing in a match depends on them.
"""
