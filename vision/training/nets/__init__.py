"""The architectures of the nets, in PyTorch.

Takes sizes and gives modules to train; imports nothing else of `vision/training`.
"""
