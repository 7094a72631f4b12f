"""The dice cup: its bytes in, events out. Knows `engine`; comes with a later version."""
