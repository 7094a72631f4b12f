"""The dice cup on a serial line: bytes in, notices of its rolls out; imports `engine`.

`PROTOCOL.md` describes the bytes; the firmware is in `firmware/`.
"""
