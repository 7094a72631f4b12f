"""Which physical dice are on the board, and whose they are.

Takes the appearance of dice that were seen and gives stable names, clusters and owners; imports
only `engine`'s own modules, `evidence` and `events`.
"""
