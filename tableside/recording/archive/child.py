"""Runs `tableside` with these arguments, and ends when the process that started it does.

That one holds the other end of stdin: a worker may be killed at any time, and what it had begun
must not go on beside the next attempt.
"""

from __future__ import annotations

import os
import sys
from threading import Thread

from tableside.cli import main


def _end_with_parent() -> None:
    while os.read(0, 1):  # not `sys.stdin`, whose lock Python needs at its own end
        pass
    os._exit(1)


if __name__ == "__main__":
    Thread(target=_end_with_parent, daemon=True).start()
    sys.exit(main())
