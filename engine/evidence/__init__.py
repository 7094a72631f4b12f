"""What the camera saw of a settled board, as log-likelihoods of each count, die and cube.

Takes the positions and dice of `engine` and gives observations and their pooled likelihoods to
`events`, `inference` and `turns`; imports only `engine`'s own modules.
"""
