"""What may be shown of the address of a stream: never who logs in there, nor with what.

A password may be in the user part, in the query or the fragment, or in parameters of the path.
"""

from __future__ import annotations

import re
from typing import Final

_ADDRESS: Final = re.compile(r"(?P<scheme>\w[\w+.-]*://)(?P<rest>.*)", re.DOTALL)
_IN_TEXT: Final = re.compile(r"\w[\w+.-]*://(?:[^\s\"\\]|\\.)*")
"""An address within text, which may be JSON: a quotation mark ends it, an escaped one does not."""
_SHOWN: Final = re.compile(r"(\[[^\]\s]*\]|[^\s:/?#&=;%]*)(:\d+)?(/[^?#&=;]*)?")
"""A host, its port and a path up to its first parameter."""
HIDDEN: Final = "…"


def is_address(text: str) -> bool:
    """Whether the text is the address of a stream, and not a file or a camera's number."""
    return _ADDRESS.fullmatch(text) is not None


def shown_address(text: str) -> str:
    """The address without its user part, its parameters and its fragment; other text as it is.

    Where the user part ends cannot be known if `?` or `#` precedes an `@`; then only the scheme is
    shown.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None:
        return text
    user, _, rest = found["rest"].rpartition("@")
    if "?" in user or "#" in user:
        return found["scheme"] + HIDDEN
    shown = _SHOWN.match(rest)
    return found["scheme"] + ("" if shown is None else shown[0])


def without_secrets(text: str) -> str:
    """The text with each address in it as `shown_address` shows it."""
    return _IN_TEXT.sub(lambda found: shown_address(found[0]), text)
