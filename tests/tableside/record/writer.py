"""A process that records forever, to be killed: `python writer.py RECORD`.

Each line on stdout is a number that `append` has acknowledged.
"""

import os
import sys
from pathlib import Path

from engine.events.record import BoardMoved
from tableside.record.store import Store

store = Store.open(Path(sys.argv[1]))
entry = next(iter(store.open_matches()), None)
match = store.new_match() if entry is None else entry.id
number = 0 if entry is None else entry.events
while True:
    batch = [BoardMoved(time=float(number + i), frame=number + i) for i in range(1 + number % 3)]
    number = store.append(match, batch)[-1]
    os.write(1, f"{number}\n".encode())
