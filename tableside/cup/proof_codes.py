"""A cup's proof as QR codes, which the page of `cup verify --page` reads with a phone's camera."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterable
from html import escape
from typing import Final

HEAD: Final = "TABLESIDE-PROOF"
PART_LENGTH: Final = 700
"""Characters of the proof in a code: about 100 modules wide, which phones read from a screen."""
TYPES: Final = ("cup_commitment", "cup_sealed", "cup_roll", "cup_revealed")
UNPROVEN: Final = ("time", "frame", "asked", "game", "roll", "for", "unused")
"""Fields of events that the proof does not need."""


def proof_codes(lines: Iterable[str]) -> list[str]:
    """The texts of the QR codes for a file of events, given as its lines.

    Each is `TABLESIDE-PROOF:number:count:hash:part`; hash: 8 hex digits of the SHA-256 of the
    compressed events, whose base64 the parts are.
    """
    events = (json.loads(line) for line in lines)
    kept = [
        {name: value for name, value in event.items() if name not in UNPROVEN}
        for event in events
        if event["type"] in TYPES
    ]
    packer = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    whole = packer.compress("\n".join(json.dumps(one) for one in kept).encode()) + packer.flush()
    digits, text = hashlib.sha256(whole).hexdigest()[:8], base64.b64encode(whole).decode()
    parts = [text[at : at + PART_LENGTH] for at in range(0, len(text), PART_LENGTH)]
    return [f"{HEAD}:{number}:{len(parts)}:{digits}:{part}" for number, part in enumerate(parts, 1)]


def codes_page(codes: Iterable[str], title: str) -> str:
    """A page that shows the codes one below the other, to be scanned or printed."""
    import segno

    codes = list(codes)
    figures = (
        f"<figure>{segno.make(code, error='l', micro=False).svg_inline(scale=6, border=4)}"
        f"<figcaption>{number} / {len(codes)}</figcaption></figure>"
        for number, code in enumerate(codes, 1)
    )
    return PAGE.format(title=escape(title), figures="\n".join(figures))


PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<style>
  body {{ font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 1rem; }}
  body {{ background: #fff; color: #000; }}
  figure {{ margin: 0 auto 2rem; max-width: 42rem; min-height: 90vh; text-align: center; }}
  figure {{ break-inside: avoid; }}
  svg {{ width: 100%; height: auto; }}
</style></head>
<body><h1>{title}</h1>
<p>Open the page of <code>tableside cup verify --page</code> on your phone and scan every code.</p>
{figures}
</body></html>
"""
