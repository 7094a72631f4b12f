"""The dice cup on a serial line: bytes in, notices of its rolls out. Imports `engine`.

`PROTOCOL.md` describes the bytes; the firmware is in `firmware/`.
"""
