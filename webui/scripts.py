"""Which files a page's script imports: named in the page, they come at once, not one after another.

Each import that a browser finds only when it reads the file before costs a phone one more way to
the laptop and back.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

STATIC: Final = Path(__file__).parent / "static"
_IMPORT: Final = re.compile(r'^import\s[^"]*"\./([^"]+)";$', re.MULTILINE)


@cache
def imports(script: str) -> tuple[str, ...]:
    """Names of all files that a file of static/ imports, and those that they do, each once."""
    found: dict[str, None] = {}
    waiting = [script]
    while waiting:
        text = (STATIC / waiting.pop(0)).read_text(encoding="utf-8")
        fresh = [name for name in _IMPORT.findall(text) if name not in found and name != script]
        found |= dict.fromkeys(fresh)
        waiting += fresh
    return tuple(found)
