"""The commands, one file each: its options and its run.

Takes parsed options and gives an exit code; imports every folder above.
"""
