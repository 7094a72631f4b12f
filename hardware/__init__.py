"""The dice cup: its bytes in, what it says out. Knows `engine`; `PROTOCOL.md` is its language."""
